//! A machine as `/sys` and `/proc` show it: live, in a copied folder, in a tar of one, or in text made by `grep -r`.

mod archive;
mod files;
mod folder;
mod machine;

pub use archive::{from_tar, is_tar, to_tar_gz};
pub use files::{Files, from_text, is_listing};
pub use folder::{from_folder, is_tree, live};
pub use machine::read;
