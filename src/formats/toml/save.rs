//! placeholder
use crate::formats::FormatError;
use crate::topology::Topology;
/// x
/// # Errors
/// x
pub fn save(_: &str, _: &Topology) -> Result<String, FormatError> {
    Ok(String::new())
}
