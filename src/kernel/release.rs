//! Kernel releases as bundles of rules.
//!
//! A rule is named for what it does; which release has it is the table `CHANGES`, one line per change. Between two
//! lines nothing that this program models changed.

mod rules;
mod table;

pub use rules::{
    AsymRule, DistanceList, DomainDistance, GroupFlags, ImbNumaNr, LevelTable, LogFormat, OverlapCapacity,
    OverlapGroups, PlainGroups, PreferSibling, RelaxRule, RootLine, Rules, SharedRule, SpanCheck, TopologyTypeRule,
};

use std::fmt;
use table::{BACKPORTS, CHANGES, EXAMINED, LAST_MINOR, LAURO_P2, LAURO_P3, NEWEST, OLDEST, V4_10, V4_12_3};

/// A kernel whose domains can be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The bundle's name, such as `v6.12`, `v4.12.3` or `lauro-p2`.
    pub name: String,
    /// What was asked for, and why this bundle answers, when that is not plain.
    pub note: Option<String>,
    /// The version the bundle is of: major, minor and, for a stable tree, patch level. The states of 2017 are of 4.11.
    pub version: (u32, u32, u32),
    /// What it does.
    pub rules: Rules,
}

/// Why a text names no release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseError {
    /// No version in it.
    #[error("{0:?} names no kernel release; write for example v6.12, 6.12.3-amd64, lauro-p2 or newest")]
    NotAVersion(String),
    /// Older than any known.
    #[error("{0:?} is older than v4.10, the oldest release modelled")]
    TooOld(String),
}

impl Release {
    /// Reads `6.12`, `v6.12.3-amd64`, the output of `uname -r`, `lauro-p2`, `lauro-p3`, `newest` or `oldest`, and says
    /// in [`Release::note`] which bundle it took when the text leaves a choice.
    ///
    /// # Errors
    /// When the text holds no version or one older than 4.10.
    pub fn parse(text: &str) -> Result<Self, ReleaseError> {
        let word = text.trim();
        let named = |name: &str, rules| Ok(Self::of_2017(name, rules));
        match word.to_ascii_lowercase().as_str() {
            "lauro-p2" => return named("lauro-p2", LAURO_P2),
            "lauro-p3" => return named("lauro-p3", LAURO_P3),
            "newest" | "latest" => return Ok(Self::newest()),
            "oldest" => return Ok(Self::mainline(OLDEST.0, OLDEST.1)),
            _ => {}
        }
        let (major, minor, patch) =
            version(word).ok_or_else(|| ReleaseError::NotAVersion(word.chars().take(60).collect()))?;
        if (major, minor) < OLDEST {
            return Err(ReleaseError::TooOld(word.to_owned()));
        }
        if !Self::exists(major, minor) {
            let below = Self::all_versions().rev().find(|&known| known < (major, minor)).unwrap_or(NEWEST);
            let mut release = Self::mainline(below.0, below.1);
            release.note = Some(format!("{word} is not known; {} is the newest release below it", release.name));
            return Ok(release);
        }
        // Distributions name a patched kernel X.Y.0-N: that is the series as patched, not its first release.
        let patch = patch.filter(|&patch| patch > 0 || !is_distribution(word));
        let mut release = Self::patched(major, minor, patch);
        if word.trim_start_matches(['v', 'V']) != release.name.trim_start_matches('v') {
            release.note = Some(format!("{word} is built by the rules of {}", release.name));
        }
        Ok(release)
    }

    /// The newest release known.
    pub fn newest() -> Self {
        Self::mainline(NEWEST.0, NEWEST.1)
    }

    /// Every bundle a person may choose from, oldest first: mainline releases, 4.12.3, and the 2017 states.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (major, minor) in Self::all_versions() {
            all.push(Self::mainline(major, minor));
            if (major, minor) == (4, 11) {
                all.push(Self::of_2017("lauro-p2", LAURO_P2));
                all.push(Self::of_2017("lauro-p3", LAURO_P3));
            }
            if (major, minor) == (4, 12) {
                all.push(Self { name: "v4.12.3".into(), note: None, version: (4, 12, 3), rules: V4_12_3 });
            }
        }
        all
    }

    fn all_versions() -> impl DoubleEndedIterator<Item = (u32, u32)> {
        LAST_MINOR.iter().flat_map(|&(major, last)| {
            let first = if major == OLDEST.0 { OLDEST.1 } else { 0 };
            (first..=last).map(move |minor| (major, minor))
        })
    }

    fn exists(major: u32, minor: u32) -> bool {
        LAST_MINOR.iter().any(|&(series, last)| series == major && minor <= last)
    }

    /// A state of the 2017 series, on top of 4.11.
    fn of_2017(name: &str, rules: Rules) -> Self {
        Self { name: name.to_owned(), note: None, version: (4, 11, 0), rules }
    }

    fn mainline(major: u32, minor: u32) -> Self {
        Self::patched(major, minor, None)
    }

    fn patched(major: u32, minor: u32, patch: Option<u32>) -> Self {
        let examined = EXAMINED.iter().find(|&&(a, b, _)| (a, b) == (major, minor)).map(|&(_, _, patch)| patch);
        let patch = patch.or(examined).unwrap_or(0);
        let backport = BACKPORTS.iter().find(|change| {
            change.version <= (major, minor, patch) && change.version.0 == major && change.version.1 == minor
        });
        let change =
            backport.or_else(|| CHANGES.iter().rev().find(|change| change.version <= (major, minor, u32::MAX)));
        let rules = change.map_or(V4_10, |change| change.rules);
        let name = match backport {
            Some(change) if examined.is_none() => format!("v{major}.{minor}.{}", change.version.2),
            None if examined.is_some() => format!("v{major}.{minor}.0"),
            _ => format!("v{major}.{minor}"),
        };
        let patch = backport.map_or(0, |change| change.version.2);
        Self { name, note: None, version: (major, minor, patch), rules }
    }
}

/// Whether the text names a distribution's build, such as `5.4.0-150-generic`: a dash and a number after the version.
fn is_distribution(text: &str) -> bool {
    text.split_once('-').is_some_and(|(_, build)| build.starts_with(|c: char| c.is_ascii_digit()))
}

/// The first `X.Y` or `X.Y.Z` of a text such as `Linux version 6.12.3-amd64 (…)`.
fn version(text: &str) -> Option<(u32, u32, Option<u32>)> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|part| {
        let mut numbers = part.split('.').map(|number| number.parse::<u32>().ok());
        let (major, minor) = (numbers.next()??, numbers.next()??);
        Some((major, minor, numbers.next().flatten()))
    })
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Release {
        Release::parse(text).unwrap()
    }

    #[test]
    fn reads_what_people_have_at_hand() {
        for (text, name) in [
            ("6.12", "v6.12"),
            ("v6.12.3-amd64", "v6.12"),
            ("5.15.0-91-generic", "v5.15"),
            ("6.1.0-18-amd64", "v6.1"),
            ("Linux version 4.19.0-26-amd64 (debian-kernel@lists.debian.org)", "v4.19"),
            ("4.12.2", "v4.12"),
            ("4.12.3", "v4.12.3"),
            ("4.12.14-lp151", "v4.12.3"),
            ("5.4", "v5.4"),
            ("5.4.0", "v5.4.0"),
            ("5.4.200", "v5.4"),
            ("5.4.0-150-generic", "v5.4"),
            ("5.4.0-rc3", "v5.4.0"),
            ("lauro-p2", "lauro-p2"),
            ("newest", "v7.2"),
            ("7.9-rc1", "v7.2"),
            ("8.0", "v7.2"),
            ("4.21", "v4.20"),
        ] {
            assert_eq!(parse(text).name, name, "{text}");
        }
        assert!(parse("7.9").note.unwrap().contains("not known"));
        assert_eq!(parse("v6.12").note, None);
        assert!(matches!(Release::parse("linux"), Err(ReleaseError::NotAVersion(_))));
        assert!(matches!(Release::parse("3.10.0-957.el7"), Err(ReleaseError::TooOld(_))));
    }

    #[test]
    fn every_listed_release_parses_to_itself() {
        for release in Release::all() {
            assert_eq!(parse(&release.name), release);
        }
    }

    #[test]
    fn rules_that_differ_are_named() {
        let (old, new) = (parse("4.12").rules, parse("4.13").rules);
        assert_eq!(old.differences(&new), ["overlap_groups", "plain_groups", "log"]);
        assert!(old.differences(&old).is_empty());
    }

    #[test]
    fn back_ports_apply_from_their_patch_level() {
        assert_eq!(parse("4.12.2").rules.overlap_groups, OverlapGroups::FromFirstCpu);
        assert_eq!(parse("4.12.3").rules.overlap_groups, OverlapGroups::WrapOwnerFound);
        assert_eq!(parse("5.4.58").rules.span_check, SpanCheck::None);
        assert_eq!(parse("5.4.59").rules.span_check, SpanCheck::Pairwise);
        assert_eq!(parse("5.5").rules.span_check, SpanCheck::None);
    }
}
