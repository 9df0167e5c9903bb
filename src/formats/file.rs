//! Files as such: bounded reading, and saving without a moment at which nothing is there.

use super::error::FormatError;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The most bytes a file may have.
pub const MAX_BYTES: u64 = 64 << 20;
/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// The name of a file for people.
pub(super) fn shown(path: &Path) -> String {
    if path == Path::new(STDIN) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a file's text, or standard input's where the path is [`STDIN`]; never more than [`MAX_BYTES`].
///
/// # Errors
/// A file that can't be read, is too large, or is no UTF-8 text.
pub fn read_text(path: impl AsRef<Path>) -> Result<String, FormatError> {
    let path = path.as_ref();
    read_source(path).and_then(decode).map_err(|error| error.in_file(shown(path)))
}

/// Reads a file's bytes, or standard input's where the path is [`STDIN`]; never more than [`MAX_BYTES`].
///
/// # Errors
/// A file that can't be read, or is too large.
pub fn read_source(path: &Path) -> Result<Vec<u8>, FormatError> {
    if path == Path::new(STDIN) { read_bytes(io::stdin().lock()) } else { read_file(path) }
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
pub fn save_atomic(path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<(), FormatError> {
    let path = path.as_ref();
    write_and_rename(path, content.as_ref()).map_err(|error| {
        let cure = "the file is as it was; check the folder's permissions and the space left";
        FormatError::new(format!("cannot be written: {error}"), cure).in_file(shown(path))
    })
}

fn write_and_rename(path: &Path, content: &[u8]) -> io::Result<()> {
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
    file.write_all(content)?;
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
