//! A place for each of many numbers of rows: those of functions, which are looked up for every function of every profile.

/// Numbers that stand together: where few are known of many, little else is held.
const PAGE: usize = 256;
/// No place.
const NONE: u32 = u32::MAX;

/// An array of what is known, a few times as fast as a map.
#[derive(Default)]
pub(super) struct Dense(Vec<Option<Box<[u32; PAGE]>>>);

impl Dense {
    pub(super) fn get(&self, number: u32) -> Option<u32> {
        let page = self.0.get(number as usize / PAGE)?.as_ref()?;
        Some(page[number as usize % PAGE]).filter(|&place| place != NONE)
    }

    pub(super) fn set(&mut self, number: u32, place: u32) {
        let at = number as usize / PAGE;
        if at >= self.0.len() {
            self.0.resize_with(at + 1, || None);
        }
        let page = self.0[at].get_or_insert_with(|| Box::new([NONE; PAGE]));
        page[number as usize % PAGE] = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_there_and_nothing_else() {
        let mut dense = Dense::default();
        let known = [(0, 7), (255, 8), (256, 0), (70_000, 9)];
        for (number, place) in known {
            assert_eq!(dense.get(number), None);
            dense.set(number, place);
        }
        for (number, place) in known {
            assert_eq!(dense.get(number), Some(place));
        }
        for number in [1, 254, 257, 69_999, 70_001, u32::MAX] {
            assert_eq!(dense.get(number), None);
        }
        dense.set(255, 1);
        assert_eq!(dense.get(255), Some(1));
    }
}
