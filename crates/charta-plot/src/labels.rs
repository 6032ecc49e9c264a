//! Names beside points, placed where they cover neither each other nor the points.

use crate::font;
use crate::scene::{Anchor, Area, HALO, Place, Text};
use crate::ticks::count;

/// Up to this many points, every name is written even where it must touch another.
const ALWAYS_NAMED: usize = 60;
/// The most points that get names: the search for places compares every name with every point.
pub(crate) const MOST_NAMED: usize = 2000;

/// How far letters reach above and below the middle of capitals, as fractions of the font size.
const ABOVE: f64 = 0.42;
const BELOW: f64 = 0.57;

/// A name that is to be written near a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelRequest<'a> {
    pub(crate) place: Place,
    pub(crate) name: &'a str,
    /// Radius of what is drawn at the place.
    pub(crate) radius: f64,
    /// Where the arrow that ends at the place begins: the name should rather stand ahead of it.
    pub(crate) shaft_from: Option<Place>,
}

/// The names that have found a place so far.
pub(crate) struct Labels {
    panel: Area,
    size: f64,
    taken: Vec<Area>,
    pub(crate) texts: Vec<Text>,
    /// Names without room, and all that were requested: of arrows, of points.
    arrows: [usize; 2],
    points: [usize; 2],
}

impl Labels {
    pub(crate) fn new(panel: Area, size: f64) -> Self {
        Labels {
            panel,
            size,
            taken: Vec::new(),
            texts: Vec::new(),
            arrows: [0; 2],
            points: [0; 2],
        }
    }

    /// What the reader must know about names that are not written, and about arrows that were too short to ask for one.
    pub(crate) fn left_out(&self, too_short: usize) -> String {
        let (arrows, points) = ((self.arrows, "arrows"), (self.points, "points"));
        let short = (too_short > 0).then(|| {
            let of = count(too_short + self.arrows[1]);
            format!("{} of {of} arrows too short to see", count(too_short))
        });
        let notes = [arrows, points].into_iter().filter(|(n, _)| n[0] > 0);
        let notes = notes.map(|([left_out, of], what)| {
            if left_out == of {
                format!("too many {what} for names")
            } else {
                format!(
                    "no room for the names of {} of {} {what}",
                    count(left_out),
                    count(of)
                )
            }
        });
        short
            .into_iter()
            .chain(notes)
            .collect::<Vec<_>>()
            .join(" · ")
    }

    /// Places the names of points that have room; all of them if they are few. Of more points than can be named, `n`,
    /// none are given.
    pub(crate) fn add_points(&mut self, points: &[LabelRequest<'_>], n: usize) {
        self.points = [n, n];
        let markers = self.markers(points);
        for (own, point) in points.iter().enumerate() {
            let always = points.len() <= ALWAYS_NAMED;
            let cost = |area: &Area| [covered(area, &markers, own), 0.0];
            if point.name.is_empty() || self.add(self.candidates(point), always, cost) {
                self.points[0] -= 1;
            }
        }
    }

    /// Places the names of marks and arrows: before those of points, and rather beside than on points and arrows. Arrows
    /// whose names have no room stay without.
    pub(crate) fn add_annotations(
        &mut self,
        annotations: &[LabelRequest<'_>],
        points: &[LabelRequest<'_>],
    ) {
        let size = self.size;
        let markers = self.markers(&points[..points.len().min(MOST_NAMED)]);
        self.taken
            .extend(annotations.iter().map(|one| around(one.place, one.radius)));
        let shafts: Vec<[Place; 2]> = annotations
            .iter()
            .filter_map(|one| Some([one.shaft_from?, one.place]))
            .collect();
        for one in annotations {
            let radius = one.radius + 1.2 * size;
            let mut candidates = self.candidates(one);
            candidates.extend(self.candidates(&LabelRequest { radius, ..*one }));
            let is_arrow = one.shaft_from.is_some();
            let always = !is_arrow && annotations.len() <= ALWAYS_NAMED;
            let written = self.add(candidates, always, |area| {
                let crossed: f64 = shafts.iter().map(|shaft| length_inside(area, shaft)).sum();
                let points = covered(area, &markers, usize::MAX);
                let aside = turned(area, one) + distant(area, one.place);
                [0.0, 0.15 * points + 0.4 * size * crossed + aside]
            });
            if is_arrow && !one.name.is_empty() {
                self.arrows[0] += usize::from(!written);
                self.arrows[1] += 1;
            }
        }
    }

    fn markers(&self, points: &[LabelRequest<'_>]) -> Vec<Area> {
        points
            .iter()
            .map(|point| around(point.place, point.radius + 0.3 * self.size))
            .collect()
    }

    fn candidates(&self, wanted: &LabelRequest<'_>) -> Vec<(Text, Area)> {
        if wanted.name.is_empty() {
            return Vec::new();
        }
        let name = font::shorten(wanted.name, self.size, self.panel.width / 3.0);
        candidates(wanted, &name, self.size)
    }

    /// Writes a name at its best place; false if it has none. `cost` says what speaks against an area: first what a name
    /// that is not `always` written must avoid, then what it should avoid.
    fn add(
        &mut self,
        candidates: Vec<(Text, Area)>,
        always: bool,
        cost: impl Fn(&Area) -> [f64; 2],
    ) -> bool {
        let best = candidates
            .into_iter()
            .map(|(text, area)| {
                let [must, should] = cost(&area);
                let must = must + taken(&area, &self.panel, &self.taken);
                // Covering a name is worse than crossing an arrow.
                (3.0 * must + should, must, text, area)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((_, must, text, area)) if must == 0.0 || always => {
                self.taken.push(area);
                self.texts.push(text);
                true
            }
            _ => false,
        }
    }
}

/// Where a name may stand, the most usual place first: right, left, above, below, then the corners.
fn candidates(wanted: &LabelRequest<'_>, name: &str, size: f64) -> Vec<(Text, Area)> {
    let [x, y] = wanted.place;
    let width = font::width(name, size);
    let (aside, apart) = (wanted.radius + 0.4 * size, wanted.radius + 0.8 * size);
    let places = [
        (Anchor::Start, aside, 0.0),
        (Anchor::End, -aside, 0.0),
        (Anchor::Middle, 0.0, -apart),
        (Anchor::Middle, 0.0, apart),
        (Anchor::Start, 0.6 * aside, -apart),
        (Anchor::Start, 0.6 * aside, apart),
        (Anchor::End, -0.6 * aside, -apart),
        (Anchor::End, -0.6 * aside, apart),
    ];
    let text = |(anchor, across, down): (Anchor, f64, f64)| {
        let text = Text {
            anchor,
            halo: true,
            ..Text::new(name, [x + across, y + down], size)
        };
        let left = x + across
            - match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => width / 2.0,
                Anchor::End => width,
            };
        // The white rim belongs to the name: it would cut what it covers, and be cut by the frame.
        let rim = HALO * size;
        let area = Area {
            left: left - rim,
            top: y + down - ABOVE * size - rim,
            width: width + 2.0 * rim,
            height: (ABOVE + BELOW) * size + 2.0 * rim,
        };
        (text.centred_vertically(), area)
    };
    places.into_iter().map(text).collect()
}

/// How much of other things a name would cover; names outside the panel are the worst.
fn taken(area: &Area, panel: &Area, taken: &[Area]) -> f64 {
    let outside = area.width * area.height - area.overlap(panel);
    let covered: f64 = taken.iter().map(|other| area.overlap(other)).sum();
    covered + if outside > 1e-6 { 10.0 * outside } else { 0.0 }
}

/// How much of the space around other points a name would take: so near, it would seem to be theirs.
fn covered(area: &Area, markers: &[Area], own: usize) -> f64 {
    let others = markers
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != own);
    others.map(|(_, marker)| area.overlap(marker)).sum()
}

/// Length of the part of a straight line that lies inside an area.
fn length_inside(area: &Area, [from, to]: &[Place; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let sides = [
        (from[0], along[0], area.left, area.right()),
        (from[1], along[1], area.top, area.bottom()),
    ];
    for (start, step, low, high) in sides {
        if step == 0.0 {
            if start < low || start > high {
                return 0.0;
            }
            continue;
        }
        let ends = [(low - start) / step, (high - start) / step];
        enter = enter.max(ends[0].min(ends[1]));
        leave = leave.min(ends[0].max(ends[1]));
    }
    (leave - enter).max(0.0) * along[0].hypot(along[1])
}

/// Farther places are for names that have no room near by: what speaks against them, in parts of the name's area.
fn distant(area: &Area, [x, y]: Place) -> f64 {
    let beyond = |place: f64, low: f64, high: f64| (low - place).max(place - high).max(0.0);
    let gap = beyond(x, area.left, area.right()).hypot(beyond(y, area.top, area.bottom()));
    0.15 * gap * area.width
}

/// How far the middle of a name lies off the side where it should rather stand, as a part of its area.
fn turned(area: &Area, wanted: &LabelRequest<'_>) -> f64 {
    let Some(from) = wanted.shaft_from else {
        return 0.0;
    };
    let toward = [wanted.place[0] - from[0], wanted.place[1] - from[1]];
    let offset = [
        area.left + area.width / 2.0 - wanted.place[0],
        area.top + area.height / 2.0 - wanted.place[1],
    ];
    let lengths = offset[0].hypot(offset[1]) * toward[0].hypot(toward[1]);
    let cosine = (offset[0] * toward[0] + offset[1] * toward[1]) / lengths.max(1e-9);
    0.25 * (1.0 - cosine) * area.width * area.height
}

fn around([x, y]: Place, radius: f64) -> Area {
    Area {
        left: x - radius,
        top: y - radius,
        width: 2.0 * radius,
        height: 2.0 * radius,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANEL: Area = Area {
        left: 0.0,
        top: 0.0,
        width: 600.0,
        height: 400.0,
    };
    const SIZE: f64 = 16.0;

    fn place(points: &[(Place, &str)]) -> Vec<Text> {
        let points: Vec<LabelRequest<'_>> = points.iter().map(|point| wanted(*point)).collect();
        let mut labels = Labels::new(PANEL, SIZE);
        labels.add_points(&points, points.len());
        labels.texts
    }

    fn wanted((place, name): (Place, &str)) -> LabelRequest<'_> {
        LabelRequest {
            place,
            name,
            radius: 5.0,
            shaft_from: None,
        }
    }

    fn area(text: &Text) -> Area {
        let width = font::width(&text.text, text.size);
        let left = text.place[0] - [0.0, width / 2.0, width][text.anchor as usize];
        Area {
            left,
            top: text.place[1] - 0.7 * text.size,
            width,
            height: 0.7 * text.size,
        }
    }

    #[test]
    fn a_lone_name_stands_to_the_right_and_at_the_edge_to_the_left() {
        let texts = place(&[([100.0, 100.0], "Bern"), ([595.0, 300.0], "Oslo")]);
        assert_eq!(
            (texts[0].anchor, texts[1].anchor),
            (Anchor::Start, Anchor::End)
        );
    }

    #[test]
    fn neighbours_do_not_cover_each_other() {
        let points = [
            ([100.0, 100.0], "first"),
            ([112.0, 100.0], "second"),
            ([100.0, 112.0], "third"),
        ];
        let texts = place(&points);
        for first in 0..3 {
            for second in 0..first {
                assert_eq!(
                    area(&texts[first]).overlap(&area(&texts[second])),
                    0.0,
                    "{first} and {second}"
                );
            }
        }
    }

    #[test]
    fn in_a_crowd_only_names_with_room_are_written() {
        let points: Vec<(Place, &str)> = (0..500)
            .map(|i| match i {
                0 => ([50.0, 50.0], "alone"),
                _ => ([300.0 + f64::from(i % 7), 200.0], "name"),
            })
            .collect();
        assert!(place(&points).len() < 20);
        let points: Vec<LabelRequest<'_>> = points.iter().map(|point| wanted(*point)).collect();
        let mut labels = Labels::new(PANEL, SIZE);
        labels.add_points(&points, points.len());
        let expected = format!(
            "no room for the names of {} of 500 points",
            500 - labels.texts.len()
        );
        assert_eq!(labels.left_out(0), expected);
    }

    #[test]
    fn names_of_arrows_are_left_out_rather_than_cut() {
        let arrow = |number: usize| LabelRequest {
            shaft_from: Some([300.0, 200.0]),
            ..wanted((
                [590.0, 200.0 + number as f64],
                "a name of some length at the frame",
            ))
        };
        let arrows: Vec<LabelRequest<'_>> = (0..20).map(arrow).collect();
        let mut labels = Labels::new(PANEL, SIZE);
        labels.add_annotations(&arrows, &[]);
        let (written, left_out) = (labels.texts.len(), labels.left_out(3));
        assert!(written > 0 && written < 20);
        assert_eq!(
            left_out,
            format!(
                "3 of 23 arrows too short to see · no room for the names of {} of 20 arrows",
                20 - written
            )
        );
        let rim = HALO * SIZE;
        for (first, one) in labels.taken[20..].iter().enumerate() {
            assert!(one.left >= 0.0 && one.right() <= 600.0);
            for other in &labels.taken[20..][..first] {
                assert_eq!(one.overlap(other), 0.0);
            }
            assert!(one.height > 2.0 * rim + font::CAPITAL_HEIGHT * SIZE);
        }
    }

    #[test]
    fn a_name_at_an_arrow_stands_ahead_of_its_tip() {
        let ahead = |toward: [f64; 2]| {
            let arrow = LabelRequest {
                shaft_from: Some([300.0 - 90.0 * toward[0], 200.0 - 90.0 * toward[1]]),
                ..wanted(([300.0, 200.0], "width"))
            };
            let mut labels = Labels::new(PANEL, SIZE);
            labels.add_annotations(&[arrow], &[]);
            let area = area(&labels.texts[0]);
            [
                area.left + area.width / 2.0 - 300.0,
                area.top + area.height / 2.0 - 200.0,
            ]
        };
        assert!(ahead([1.0, 0.0])[0] > 20.0 && ahead([-1.0, 0.0])[0] < -20.0);
        assert!(ahead([0.0, -1.0])[1] < -10.0 && ahead([0.0, 1.0])[1] > 10.0);
    }

    #[test]
    fn only_the_part_of_a_line_inside_an_area_counts() {
        let length = |from: Place, to: Place| length_inside(&PANEL, &[from, to]);
        assert_eq!(length([-100.0, 200.0], [700.0, 200.0]), 600.0);
        assert!((length([300.0, -50.0], [300.0, 100.0]) - 100.0).abs() < 1e-9);
        assert_eq!(length([-100.0, 500.0], [700.0, 500.0]), 0.0);
        assert!((length([10.0, 10.0], [13.0, 14.0]) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn names_of_points_give_way_to_names_of_marks() {
        let (mark, point) = (([100.0, 100.0], "mean"), ([96.0, 100.0], "row"));
        let mut labels = Labels::new(PANEL, SIZE);
        labels.add_annotations(&[wanted(mark)], &[wanted(point)]);
        labels.add_points(&[wanted(point)], 1);
        assert_eq!(labels.texts[0].text, "mean");
        assert_eq!(labels.texts[1].text, "row");
        assert_eq!(area(&labels.texts[0]).overlap(&area(&labels.texts[1])), 0.0);
    }
}
