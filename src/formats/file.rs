//! Files as such: bounded reading, telling formats apart, saving without a moment at which nothing is there.

use super::error::FormatError;
use super::{json, lscpu, numactl, qemu, table, toml};
use crate::cpumask::CpuMask;
use crate::topology::{Distances, Topology};
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The most bytes a file may have.
pub const MAX_BYTES: u64 = 64 << 20;
/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Our JSON object.
    Json,
    /// Our TOML, what people write and what is saved.
    Toml,
    /// A distance table and nothing else.
    Table,
    /// What `numactl -H` prints.
    Numactl,
    /// What `lscpu` prints.
    Lscpu,
    /// A command line of QEMU.
    Qemu,
}

impl Format {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Toml => "TOML",
            Self::Table => "distance table",
            Self::Numactl => "numactl -H",
            Self::Lscpu => "lscpu",
            Self::Qemu => "QEMU command line",
        }
    }
}

/// Reads a topology from a file, or from standard input where the path is [`STDIN`]; its format is told by content.
///
/// # Errors
/// What stopped the reading, or what is wrong with the content, with the file's name.
pub fn load(path: impl AsRef<Path>) -> Result<(Topology, Format), FormatError> {
    let path = path.as_ref();
    let text = read_text(path)?;
    parse(&text).map_err(|error| error.in_file(shown(path)))
}

/// Reads a topology from text in any format we know.
///
/// # Errors
/// What is wrong, with line and column.
pub fn parse(text: &str) -> Result<(Topology, Format), FormatError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = recognise(text).ok_or_else(|| match text.trim() {
        "" => FormatError::new("the text is empty", "give a topology as TOML, JSON or a distance table"),
        _ => FormatError::new(
            "this is neither TOML nor JSON, no distance table, and no output of numactl -H or lscpu or QEMU command line",
            "start with `[machine]`, `{` or a row of distances",
        )
        .at(1, 1),
    })?;
    let topology = match format {
        Format::Json => json::read(text)?,
        Format::Toml => toml::read(text)?,
        Format::Table => from_table(text)?,
        Format::Numactl => numactl::read(text)?,
        Format::Lscpu => lscpu::read(text)?,
        Format::Qemu => qemu::read(text)?,
    };
    Ok((topology, format))
}

/// Tells by content what a text is written in.
pub fn recognise(text: &str) -> Option<Format> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let word = line.trim_start_matches(['[', ' ', '"', '\'']);
    let named = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_key = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-\"'".contains(c));
    let begins_as_toml = line.starts_with('[') || line.split_once('=').is_some_and(|(key, _)| is_key(key.trim()));
    if named && begins_as_toml {
        Some(Format::Toml)
    } else if lscpu::is_lscpu(text) {
        Some(Format::Lscpu)
    } else if line.starts_with('{') {
        Some(Format::Json)
    } else if numactl::is_numactl(text) {
        Some(Format::Numactl)
    } else if qemu::is_qemu(text) {
        Some(Format::Qemu)
    } else if named && (line.contains('=') || line.starts_with('[')) {
        Some(Format::Toml)
    } else if table::is_table(text) {
        Some(Format::Table)
    } else {
        None
    }
}

/// A machine of this bare table, one CPU a node.
fn from_table(text: &str) -> Result<Topology, FormatError> {
    let table = table::Table::parse(text)?;
    let cpus = (0..table.rows.len()).map(CpuMask::single).collect();
    let mut topology = Topology::new("", cpus, Distances::from_rows(&table.rows()).unwrap_or_default());
    for (node, id) in topology.nodes.iter_mut().zip(table.ids.into_iter().flatten()) {
        node.id = id;
    }
    topology.validate()?;
    Ok(topology)
}

fn shown(path: &Path) -> String {
    if path == Path::new(STDIN) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a file's text, or standard input's where the path is [`STDIN`]; never more than [`MAX_BYTES`].
///
/// # Errors
/// A file that can't be read, is too large, or is no UTF-8 text.
pub fn read_text(path: impl AsRef<Path>) -> Result<String, FormatError> {
    let path = path.as_ref();
    let bytes = if path == Path::new(STDIN) { read_bytes(io::stdin().lock()) } else { read_file(path) };
    bytes.and_then(decode).map_err(|error| error.in_file(shown(path)))
}

fn read_file(path: &Path) -> Result<Vec<u8>, FormatError> {
    let open = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let (about, file) = open.map_err(|error| unreadable(&error))?;
    if about.is_dir() {
        return Err(FormatError::new("this is a folder", "name a file"));
    }
    if about.len() > MAX_BYTES {
        return Err(too_large());
    }
    read_bytes(file)
}

/// Reads all of `source`, which must not be longer than [`MAX_BYTES`]: a pipe or a device says its size to nobody.
///
/// # Errors
/// What stopped the reading, or that there is too much.
pub fn read_bytes(source: impl Read) -> Result<Vec<u8>, FormatError> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MAX_BYTES { Err(too_large()) } else { Ok(bytes) }
}

fn unreadable(error: &io::Error) -> FormatError {
    let cure = match error.kind() {
        io::ErrorKind::NotFound => "check the name",
        io::ErrorKind::PermissionDenied => "check its permissions",
        _ => "",
    };
    FormatError::new(format!("cannot be read: {error}"), cure)
}

fn too_large() -> FormatError {
    FormatError::new("larger than 64 MiB", "a topology of 8192 CPUs needs less than 1 MiB")
}

/// The bytes as text.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, FormatError> {
    if bytes.contains(&0) {
        return Err(FormatError::new("binary data, not text", "give a topology as TOML, JSON or a distance table"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let good = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        FormatError::new("not UTF-8 text", "save the file as UTF-8").at_byte(&good, valid)
    })
}

/// Writes a file so that at any moment either the old or the new content is there, whole: a temporary file beside it,
/// flushed to the disk, takes its place. Permissions stay; a link stays, and the file it points to is replaced.
///
/// # Errors
/// What stopped the writing; the file is then as it was.
pub fn save_atomic(path: impl AsRef<Path>, text: &str) -> Result<(), FormatError> {
    let path = path.as_ref();
    write_and_rename(path, text).map_err(|error| {
        let cure = "the file is as it was; check the folder's permissions and the space left";
        FormatError::new(format!("cannot be written: {error}"), cure).in_file(shown(path))
    })
}

fn write_and_rename(path: &Path, text: &str) -> io::Result<()> {
    // A link to a file is a place to write to, not a thing to replace.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".schedtopo-");
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|about| !about.is_file()) {
        return Err(io::Error::other("it exists and is not a regular file"));
    }
    let fresh = fresh_permissions();
    if let Some(fresh) = &fresh {
        builder.permissions(fresh.clone());
    }
    let mut file = builder.tempfile_in(&folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    // The rename itself must reach the disk too; folders that can't be flushed are no reason to call it failed.
    if let Ok(folder) = File::open(&folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// What a new file gets before the process's mask takes its share.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such permissions")]
fn fresh_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn fresh_permissions() -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const RING: &str = "10 20 30 20\n20 10 20 30\n30 20 10 20\n20 30 20 10\n";

    #[test]
    fn formats_are_told_by_content() {
        assert_eq!(recognise("\n {\"node_cpus\":[]}"), Some(Format::Json));
        assert_eq!(recognise("# x\n\n[machine]\nnodes = 4\n"), Some(Format::Toml));
        assert_eq!(recognise("name = \"x\""), Some(Format::Toml));
        assert_eq!(recognise(RING), Some(Format::Table));
        assert_eq!(recognise("[[10, 20],\n [20, 10]]"), Some(Format::Table));
        assert_eq!(recognise("> node distances:\n> node 0 1\n> 0: 10 20\n> 1: 20 10"), Some(Format::Table));
        assert_eq!(recognise("Dear all,\n"), None);
        assert_eq!(recognise(""), None);
    }

    #[test]
    fn a_bare_table_gives_one_cpu_a_node() {
        let (ring, format) = parse(RING).unwrap();
        assert_eq!((ring.nr_cpus, format), (4, Format::Table));
        assert_eq!(ring.nodes[2].cpus.to_string(), "2");
        let (sparse, _) = parse("node 0 8\n0: 10 40\n8: 40 10\n").unwrap();
        assert_eq!(sparse.nodes[1].id, 8);
    }

    #[test]
    fn hopeless_files_get_a_plain_answer() {
        let folder = tempfile::tempdir().unwrap();
        let says = |bytes: &[u8]| {
            let path = folder.path().join("x");
            fs::write(&path, bytes).unwrap();
            load(&path).unwrap_err().to_string().replace(&*path.to_string_lossy(), "x")
        };
        assert_eq!(says(b""), "x: the text is empty; give a topology as TOML, JSON or a distance table");
        assert!(says(b"\x7fELF\0\0\0").starts_with("x: binary data"));
        assert!(says(b"10 20\n20 \xff").starts_with("x:2:4: not UTF-8"));
        assert!(says(b"hello\n").starts_with("x:1:1: this is neither"));
        assert!(says(b"10 20\n20 1O\n").starts_with("x:2:4: `1O` is not a distance"));
        assert!(load(folder.path()).unwrap_err().to_string().contains("this is a folder"));
        assert!(load(folder.path().join("none")).unwrap_err().to_string().contains("check the name"));
    }

    #[test]
    fn two_gigabytes_are_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        File::create(&path).unwrap().set_len(2 << 30).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("larger than 64 MiB"));
        assert!(read_bytes(io::repeat(b' ')).unwrap_err().to_string().contains("larger than 64 MiB"));
    }

    #[cfg(unix)]
    #[test]
    fn saving_keeps_permissions_and_links() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        save_atomic(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        save_atomic(folder.path().join("fresh"), "x").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file stays");
        assert!(save_atomic(folder.path().join("no/such"), "x").unwrap_err().to_string().contains("cannot be written"));
    }
}
