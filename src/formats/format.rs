//! Every format a machine comes in: told apart by content, and read.

use super::error::FormatError;
use super::file::{MAX_BYTES, STDIN, decode, read_bytes, read_source, shown};
use super::{hwloc, json, libvirt, log, lscpu, numa_fake, numactl, qemu, slit, synthetic, sysfs, table, toml};
use crate::cpumask::CpuMask;
use crate::topology::{Distances, Topology};
use flate2::read::MultiGzDecoder;
use std::path::Path;

/// What a machine is written in.
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
    /// `/sys` and `/proc`: a folder, a tar, or a listing.
    Sysfs,
    /// The XML of hwloc's `lstopo`.
    Hwloc,
    /// hwloc's one-line description.
    Synthetic,
    /// libvirt's XML of a guest.
    Libvirt,
    /// ACPI's table of distances, binary or as `iasl` prints it.
    Slit,
    /// The `numa=fake=` boot parameter.
    NumaFake,
    /// A kernel's log with domains in it.
    Log,
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
            Self::Sysfs => "/sys",
            Self::Hwloc => "hwloc XML",
            Self::Synthetic => "hwloc synthetic description",
            Self::Libvirt => "libvirt XML",
            Self::Slit => "ACPI SLIT",
            Self::NumaFake => "numa=fake",
            Self::Log => "kernel log",
        }
    }
}

/// A machine as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The machine. What had to be assumed stands in its `about`.
    pub topology: Topology,
    /// What it was written in.
    pub format: Format,
    /// The kernel that ran there, as it names itself, where that is known.
    pub kernel: Option<String>,
}

/// What is said where nothing is recognised.
const NO_FORMAT: &str = "no machine is found in this";
const FORMATS: &str = "known are TOML, JSON, a distance table, numactl -H, lscpu, hwloc, libvirt, SLIT, QEMU, numa=fake, a kernel log and /sys";

/// Reads a topology from a file, from a folder with a copy of `/sys`, or from standard input where the path is [`STDIN`]; its
/// format is told by content.
///
/// # Errors
/// What stopped the reading, or what is wrong with the content, with the file's name.
pub fn load(path: impl AsRef<Path>) -> Result<Loaded, FormatError> {
    let path = path.as_ref();
    let read = || {
        if path != Path::new(STDIN) && path.is_dir() {
            return from_files(&sysfs::from_folder(path)?);
        }
        parse_bytes(read_source(path)?)
    };
    read().map_err(|error: FormatError| error.in_file(shown(path)))
}

/// Reads a topology from bytes in any format we know, compressed with gzip or not.
///
/// # Errors
/// What is wrong, with line and column where there are some.
pub fn parse_bytes(bytes: Vec<u8>) -> Result<Loaded, FormatError> {
    let bytes = unpacked(bytes)?;
    if sysfs::is_tar(&bytes) {
        from_files(&sysfs::from_tar(&bytes)?)
    } else if slit::is_binary(&bytes) {
        Ok(Loaded { topology: slit::read_binary(&bytes)?, format: Format::Slit, kernel: None })
    } else {
        parse(&decode(bytes)?)
    }
}

/// The bytes, or what is in them where gzip packed them.
///
/// # Errors
/// When they are damaged, or more than a file may have comes out.
pub fn unpacked(bytes: Vec<u8>) -> Result<Vec<u8>, FormatError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    read_bytes(MultiGzDecoder::new(&bytes[..])).map_err(|error| {
        let fault = format!("packed with gzip: {}", error.fault);
        FormatError::new(fault, format!("at most {} MiB may come out", MAX_BYTES >> 20))
    })
}

/// The release in a line such as `Linux version 6.12.3-amd64 (…)`.
pub fn release_in(line: &str) -> String {
    let line = line.split_once("Linux version ").map_or(line, |(_, rest)| rest);
    line.split_whitespace().next().unwrap_or_default().to_owned()
}

/// The machine that the files of `/sys` tell of.
///
/// # Errors
/// What is missing, or does not fit together.
pub fn from_files(files: &sysfs::Files) -> Result<Loaded, FormatError> {
    let kernel = files.get("proc/version").map(release_in);
    Ok(Loaded { topology: sysfs::read(files)?, format: Format::Sysfs, kernel })
}

/// Reads a topology from text in any format we know.
///
/// # Errors
/// What is wrong, with line and column.
pub fn parse(text: &str) -> Result<Loaded, FormatError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = recognise(text).ok_or_else(|| match text.trim() {
        "" => FormatError::new("the text is empty", "give a topology as TOML, JSON or a distance table"),
        _ => FormatError::new(NO_FORMAT, FORMATS).at(1, 1),
    })?;
    let mut kernel = None;
    let topology = match format {
        Format::Json => json::read(text)?,
        Format::Toml => toml::read(text)?,
        Format::Table => from_table(text)?,
        Format::Numactl => numactl::read(text)?,
        Format::Lscpu => lscpu::read(text)?,
        Format::Qemu => qemu::read(text)?,
        Format::Sysfs => return from_files(&sysfs::from_text(text)),
        Format::Hwloc => {
            let (topology, ran) = hwloc::read(text)?;
            kernel = ran;
            topology
        }
        Format::Synthetic => synthetic::read(text)?,
        Format::Libvirt => libvirt::read(text)?,
        Format::Slit => slit::read_text(text)?,
        Format::NumaFake => numa_fake::read(text)?,
        Format::Log => {
            let (topology, ran) = log::read_machine(text)?;
            kernel = ran.as_deref().map(release_in);
            topology
        }
    };
    Ok(Loaded { topology, format, kernel })
}

/// Tells by content what a text is written in.
pub fn recognise(text: &str) -> Option<Format> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let word = line.trim_start_matches(['[', ' ', '"', '\'']);
    let named = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_key = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-\"'".contains(c));
    let begins_as_toml = line.starts_with('[') || line.split_once('=').is_some_and(|(key, _)| is_key(key.trim()));
    // A boot parameter looks like a TOML key.
    let starts_fake = numa_fake::is_numa_fake(line);
    let among_text = || {
        if lscpu::is_lscpu(text) {
            Some(Format::Lscpu)
        } else if line.starts_with('{') {
            Some(Format::Json)
        } else if numactl::is_numactl(text) {
            Some(Format::Numactl)
        } else if sysfs::is_listing(text) {
            Some(Format::Sysfs)
        } else if qemu::is_qemu(text) {
            Some(Format::Qemu)
        } else {
            None
        }
    };
    if log::is_log(text) && !numactl::is_numactl(text) {
        Some(Format::Log)
    } else if qemu::is_script(text) {
        Some(Format::Qemu)
    } else if slit::is_text(text) {
        Some(Format::Slit)
    } else if named && begins_as_toml && !starts_fake {
        Some(Format::Toml)
    } else if line.starts_with('<') && hwloc::is_hwloc(text) {
        Some(Format::Hwloc)
    } else if libvirt::is_libvirt(text) {
        Some(Format::Libvirt)
    } else if let Some(format) = among_text() {
        Some(format)
    } else if numa_fake::is_numa_fake(text) {
        Some(Format::NumaFake)
    } else if synthetic::is_synthetic(line) {
        Some(Format::Synthetic)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};

    const RING: &str = "10 20 30 20\n20 10 20 30\n30 20 10 20\n20 30 20 10\n";

    #[test]
    fn formats_are_told_by_content() {
        assert_eq!(recognise("\n {\"node_cpus\":[]}"), Some(Format::Json));
        assert_eq!(recognise("# x\n\n[machine]\nnodes = 4\n"), Some(Format::Toml));
        assert_eq!(recognise("name = \"x\""), Some(Format::Toml));
        assert_eq!(recognise(RING), Some(Format::Table));
        assert_eq!(recognise("[[10, 20],\n [20, 10]]"), Some(Format::Table));
        assert_eq!(recognise("> node distances:\n> node 0 1\n> 0: 10 20\n> 1: 20 10"), Some(Format::Table));
        assert_eq!(recognise("quiet numa=fake=2:10,20,20,10"), Some(Format::NumaFake));
        assert_eq!(recognise("NUMANode:2 core:2 pu:1"), Some(Format::Synthetic));
        assert_eq!(recognise("Dear all,\n"), None);
        assert_eq!(recognise(""), None);
    }

    #[test]
    fn a_bare_table_gives_one_cpu_a_node() {
        let ring = parse(RING).unwrap();
        assert_eq!((ring.topology.nr_cpus, ring.format), (4, Format::Table));
        assert_eq!(ring.topology.nodes[2].cpus.to_string(), "2");
        let sparse = parse("node 0 8\n0: 10 40\n8: 40 10\n").unwrap().topology;
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
        assert!(says(b"hello\n").starts_with("x:1:1: no machine is found in this"));
        assert!(says(b"10 20\n20 1O\n").starts_with("x:2:4: `1O` is not a distance"));
        assert!(load(folder.path()).unwrap_err().to_string().contains("no sys/devices/system in this folder"));
        assert!(load(folder.path().join("none")).unwrap_err().to_string().contains("check the name"));
    }

    #[test]
    fn two_gigabytes_are_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        File::create(&path).unwrap().set_len(2 << 30).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("larger than 64 MiB"));
        assert!(read_bytes(std::io::repeat(b' ')).unwrap_err().to_string().contains("larger than 64 MiB"));
    }

    #[test]
    fn what_gzip_packed_is_read_and_a_bomb_is_not_unpacked() {
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write;
        let pack = |bytes: &[u8]| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        assert_eq!(parse_bytes(pack(RING.as_bytes())).unwrap().topology.nodes.len(), 4);
        let bomb = pack(&vec![b' '; 65 << 20]);
        assert!(bomb.len() < 1 << 20);
        assert!(parse_bytes(bomb).unwrap_err().to_string().contains("at most 64 MiB may come out"));
        assert!(
            parse_bytes(pack(RING.as_bytes())[..20].to_vec()).unwrap_err().to_string().contains("packed with gzip")
        );
    }
}
