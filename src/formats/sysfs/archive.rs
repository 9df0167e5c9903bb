//! A tar of such files, read and written.

use super::files::{Files, path_of};
use crate::formats::FormatError;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Cursor, Read};
use tar::{Archive, Builder, EntryType, Header};

/// The most bytes a file of the kernel's is read to.
const MAX_CONTENT: u64 = 64 << 20;

/// Whether bytes are a tar.
pub fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// The files of a tar. Nothing is unpacked to the disk; of links only the name counts.
///
/// # Errors
/// When the archive is damaged.
pub fn from_tar(bytes: &[u8]) -> Result<Files, FormatError> {
    let damaged = |error: std::io::Error| FormatError::new(format!("damaged tar: {error}"), "copy it again");
    let mut files = Files::default();
    let mut archive = Archive::new(Cursor::new(bytes));
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let path = entry.path().map_err(damaged)?.to_string_lossy().into_owned();
        let kind = entry.header().entry_type();
        let mut failed = None;
        match kind {
            EntryType::Regular => files.keep(&path, || {
                let mut content = Vec::new();
                match entry.by_ref().take(MAX_CONTENT).read_to_end(&mut content) {
                    Ok(_) => Some(String::from_utf8_lossy(&content).into_owned()),
                    Err(error) => {
                        failed = Some(error);
                        None
                    }
                }
            }),
            EntryType::Symlink | EntryType::Directory => {
                let links = super::files::short_name(&path).is_some_and(|name| name.contains("/node"));
                links && files.keep(&path, || Some(String::new()))
            }
            _ => false,
        };
        if let Some(error) = failed {
            return Err(damaged(error));
        }
    }
    Ok(files)
}

/// The files as a compressed tar.
///
/// # Errors
/// What stopped the writing; in memory nothing does.
pub fn to_tar_gz(files: &Files) -> std::io::Result<Vec<u8>> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, content) in files.iter() {
        let mut header = Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(EntryType::Regular);
        builder.append_data(&mut header, path_of(name), content.as_bytes())?;
    }
    builder.into_inner()?.finish()
}
