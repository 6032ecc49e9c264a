// Named marks and the arrows of a biplot, on top of the points; both move with the view.

// Half the width of the rim around names, which must neither cut others nor be cut.
const RIM = 2.5;

// Draws them inside the panel and returns the boxes that names of points must leave free.
// `ends` are named ends of lines.
function drawAnnotations(area, ends) {
  const shown = plot.marks.filter((mark) => mark.look === null || !hidden[mark.look]);
  if (!plot.arrows.length && !shown.length && !ends.length) return [];
  const place = ({ x, y }) => [
    area.left + (x - view.left) / view.unitX,
    area.top + area.height - (y - view.bottom) / view.unitY,
  ];
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.width, area.height);
  context.clip();
  const tips = plot.arrows.map((arrow) => ({ name: arrow.name, at: place(arrow), reach: 4.5 }));
  if (tips.length) drawArrows(place(plot.origin), tips);
  const marks = shown.map((mark) => ({ name: mark.name, at: place(mark), reach: 14, mark }));
  for (const one of marks) drawMark(one);
  const taken = nameAnnotations(area, [...marks, ...ends, ...tips]);
  context.restore();
  return taken;
}

function drawArrows(origin, tips) {
  for (const tip of tips) [tip.from, tip.toward] = [origin, [tip.at[0] - origin[0], tip.at[1] - origin[1]]];
  // All rims lie below all arrows, so that no arrow cuts another.
  for (const [width, grown, color] of [[4.5, 2, theme.paper], [1.8, 0, theme.ink]]) {
    for (const tip of tips) drawArrow(origin, tip, [width, grown], color);
  }
}

function drawArrow(origin, { at, toward }, [width, grown], color) {
  const length = Math.hypot(...toward);
  if (length < 1) return;
  const [across, down] = toward.map((part) => part / length);
  const point = (ahead, aside) => [at[0] + across * ahead - down * aside, at[1] + down * ahead + across * aside];
  const [head, half] = [Math.min(13, 0.6 * length), Math.min(4.8, 0.25 * length)];
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(...origin);
  context.lineTo(...point(-0.7 * head, 0));
  context.stroke();
  context.beginPath();
  context.moveTo(...point(1.6 * grown, 0));
  context.lineTo(...point(-head - grown, half + grown));
  context.lineTo(...point(-0.75 * head - grown, 0));
  context.lineTo(...point(-head - grown, -half - grown));
  context.fill();
}

function drawMark({ at, mark }) {
  const look = mark.look === null ? { rgb: null, shape: 0 } : looks[mark.look];
  const color = look.rgb ? `rgb(${look.rgb})` : theme.ink;
  for (const [grown, fill] of [[4.6, theme.paper], [3.2, theme.ink], [1.5, theme.paper], [0, color]]) {
    context.save();
    context.translate(...at);
    context.fillStyle = fill;
    context.beginPath();
    outline(context, look.shape, 8.5 + grown);
    context.fill();
    context.restore();
  }
}

// Each name stands at the side of its mark, or ahead of its arrow, where it covers the least of the others. Names of
// arrows that have no room, or an arrow too short to see, wait for a closer view.
function nameAnnotations(area, wanted) {
  context.font = "15px " + theme.family;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const shared = (a, b) =>
    Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  const seen = wanted.filter(({ at: [x, y] }) => x >= area.left && x <= area.left + area.width && y >= area.top && y <= area.top + area.height);
  const taken = seen.map(({ at: [x, y], reach }) => ({ left: x - reach, right: x + reach, top: y - reach, bottom: y + reach }));
  const whole = { left: area.left, right: area.left + area.width, top: area.top, bottom: area.top + area.height };
  const shafts = wanted.filter((one) => one.from);
  let waiting = 0;
  for (const one of seen) {
    if (!one.name) continue;
    if (one.from && Math.hypot(...one.toward) < 14) {
      waiting += 1;
      continue;
    }
    const width = context.measureText(one.name).width;
    let best = null;
    const near = placesOf(one, width);
    const far = placesOf({ at: one.at, reach: one.reach + 18 }, width);
    for (const box of [...near, ...far]) {
      const full = (box.right - box.left) * (box.bottom - box.top);
      const covered = taken.reduce((sum, other) => sum + shared(box, other), 0);
      const crossed = shafts.reduce((sum, shaft) => sum + lengthInside(box, shaft), 0);
      const aside = 0.25 * full * turned(one, box) + 0.15 * width * distance(box, one.at);
      const must = covered + 10 * (full - shared(box, whole));
      const cost = 3 * must + 6 * crossed + aside;
      if (!best || cost < best.cost - 1e-6) best = { cost, must, box };
    }
    if (one.from && best.must > 0.5) {
      waiting += 1;
      continue;
    }
    taken.push(best.box);
    context.lineWidth = 5;
    context.strokeStyle = theme.paper;
    const middle = (best.box.top + best.box.bottom) / 2;
    context.strokeText(one.name, best.box.left + RIM, middle);
    context.fillStyle = theme.ink;
    context.fillText(one.name, best.box.left + RIM, middle);
  }
  tellWaiting(waiting);
  return taken;
}

function tellWaiting(count) {
  const note = count ? `names of ${count} arrows need a closer view` : "";
  notes.textContent = [plot.notes, note].filter((part) => part).join(" · ");
}

function placesOf({ at: [x, y], reach }, width) {
  const [aside, apart] = [reach + 6, reach + 14];
  const corners = [[0.6 * aside, -apart], [0.6 * aside, apart], [-0.6 * aside - width, -apart], [-0.6 * aside - width, apart]];
  const sides = [[aside, 0], [-aside - width, 0], [-width / 2, -apart], [-width / 2, apart]];
  return [...sides, ...corners].map(([across, down]) => ({
    left: x + across - RIM, right: x + across + width + RIM, top: y + down - 8.5 - RIM, bottom: y + down + 8.5 + RIM,
  }));
}

// 0 if a box lies ahead of its arrow, 2 if behind; 0 for marks, which have no direction.
function turned({ at, toward }, box) {
  if (!toward) return 0;
  const offset = [(box.left + box.right) / 2 - at[0], (box.top + box.bottom) / 2 - at[1]];
  const lengths = Math.hypot(...offset) * Math.hypot(...toward);
  return 1 - (offset[0] * toward[0] + offset[1] * toward[1]) / Math.max(lengths, 1e-9);
}

// Length of the part of an arrow's line that lies inside a box.
function lengthInside(box, { from, toward }) {
  let [enter, leave] = [0, 1];
  for (const [start, step, low, high] of [[from[0], toward[0], box.left, box.right], [from[1], toward[1], box.top, box.bottom]]) {
    if (step === 0 && (start < low || start > high)) return 0;
    if (step === 0) continue;
    const ends = [(low - start) / step, (high - start) / step];
    enter = Math.max(enter, Math.min(...ends));
    leave = Math.min(leave, Math.max(...ends));
  }
  return Math.max(0, leave - enter) * Math.hypot(...toward);
}

function distance(box, [x, y]) {
  return Math.hypot(Math.max(box.left - x, x - box.right, 0), Math.max(box.top - y, y - box.bottom, 0));
}
