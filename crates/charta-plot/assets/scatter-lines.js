// Lines of a scatter plot: contour lines and edges of a graph below the points, paths and axes above them.

function shareToPixel(area, x, y) {
  return [area.left + (x - view.left) / view.unitX, area.top + area.height - (y - view.bottom) / view.unitY];
}

function clipped(area, paint) {
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.width, area.height);
  context.clip();
  paint();
  context.restore();
}

function tracePlaces(area, places) {
  context.beginPath();
  for (let k = 0; k < places.length; k += 2) {
    const at = shareToPixel(area, places[k], places[k + 1]);
    if (k) context.lineTo(...at);
    else context.moveTo(...at);
  }
}

function drawStroke(area, stroke, grown, color) {
  context.lineJoin = context.lineCap = "round";
  context.setLineDash(stroke.dashed && !grown ? [4 * stroke.width, 3 * stroke.width] : []);
  context.lineWidth = stroke.width + grown;
  context.strokeStyle = color;
  tracePlaces(area, stroke.places);
  context.stroke();
  context.setLineDash([]);
}

function strokeColor(stroke) {
  return `rgb(${fitted(parseColor(stroke.color))})`;
}

function drawLinesBelow(area) {
  clipped(area, () => {
    for (const contour of plot.contours) drawContour(area, contour);
    if (edges.length) drawEdges(area);
    for (const stroke of plot.strokes) if (stroke.below) drawStroke(area, stroke, 0, strokeColor(stroke));
  });
}

function drawContour(area, contour) {
  const color = `rgb(${fitted(parseColor(contour.color))})`;
  context.lineWidth = 1.4;
  context.strokeStyle = color;
  for (const line of contour.lines) {
    tracePlaces(area, line);
    context.stroke();
  }
  const longest = contour.lines.reduce((best, line) => (line.length > best.length ? line : best), []);
  if (longest.length < 4) return;
  const middle = 2 * Math.floor(longest.length / 4);
  const at = shareToPixel(area, longest[middle], longest[middle + 1]);
  context.font = "14px " + theme.family;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 4;
  context.strokeStyle = theme.paper;
  context.strokeText(contour.label, ...at);
  context.fillStyle = color;
  context.fillText(contour.label, ...at);
}

function drawEdges(area) {
  context.strokeStyle = theme.dark ? EDGE_DARK : EDGE_LIGHT;
  context.lineWidth = edges.length > 20000 ? 0.6 : 1;
  context.beginPath();
  for (let k = 0; k < edges.length; k += 2) {
    const [a, b] = [edges[k], edges[k + 1]];
    if (hidden[lookOf[a]] || hidden[lookOf[b]]) continue;
    context.moveTo(...shareToPixel(area, xs[a], ys[a]));
    context.lineTo(...shareToPixel(area, xs[b], ys[b]));
  }
  context.stroke();
}

// Returns the named ends of the lines, as annotations.
function drawLinesAbove(area) {
  const above = plot.strokes.filter((stroke) => !stroke.below);
  clipped(area, () => {
    for (const stroke of above) drawStroke(area, stroke, 3, theme.paper);
    for (const stroke of above) drawStroke(area, stroke, 0, strokeColor(stroke));
  });
  return above.filter(({ name }) => name).map(({ name, places }) => ({ name, at: shareToPixel(area, ...places.slice(-2)), reach: 4 }));
}

