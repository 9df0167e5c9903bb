//! Fuzzy matching, the only place that knows which crate does it.

use fuzzy_matcher::FuzzyMatcher as _;
use fuzzy_matcher::skim::SkimMatcherV2;

/// A matcher; making one is cheap.
pub struct Fuzzy(SkimMatcherV2);

/// How well something matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzyMatch {
    /// Higher is better.
    pub score: i64,
    /// Indices of the matched characters.
    pub at: Vec<usize>,
}

impl Default for Fuzzy {
    /// A matcher that takes upper and lower case alike.
    fn default() -> Self {
        Self(SkimMatcherV2::default().ignore_case())
    }
}

impl Fuzzy {
    /// How `pattern` matches `text`: every word of the pattern must; `None` when one does not.
    pub fn find(&self, text: &str, pattern: &str) -> Option<FuzzyMatch> {
        let mut all = FuzzyMatch { score: 0, at: Vec::new() };
        for word in pattern.split_whitespace() {
            let (score, at) = self.0.fuzzy_indices(text, word)?;
            all.score += score;
            all.at.extend(at);
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_in_any_order_and_case() {
        let fuzzy = Fuzzy::default();
        assert!(fuzzy.find("Sun Fire X4600", "x46 sun").is_some());
        assert!(fuzzy.find("ring4", "mesh").is_none());
        assert_eq!(fuzzy.find("ring4", ""), Some(FuzzyMatch { score: 0, at: vec![] }));
    }
}
