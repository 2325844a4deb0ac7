"use strict";
(async () => {
  const options = {
    renderer: "svg", actions: false, tooltip: { theme: "custom" },
    // The minus of the text, also in plots.
    formatLocale: { decimal: ".", thousands: ",", grouping: [3], currency: ["", ""], minus: "-" },
    logLevel: 1, // errors only: a figure without interval is no reason to warn
  };
  for (const place of document.querySelectorAll(".plot")) {
    const spec = JSON.parse(place.nextElementSibling.textContent);
    await vegaEmbed(place, spec, options);
    place.dataset.drawn = "yes";
  }
  document.body.dataset.drawn = "yes";
})();

function key(row, index) {
  const cell = row.cells[index];
  if (!("key" in cell.dataset)) return cell.textContent;
  return cell.dataset.key === "" ? NaN : Number(cell.dataset.key.replace("inf", "Infinity"));
}

function compare(a, b) {
  if (typeof a === "string" || typeof b === "string") {
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  }
  return a - b;
}

for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement, table = heading.closest("table");
    const turn = heading.getAttribute("aria-sort") === "descending" ? 1 : -1;
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row, heading.cellIndex), row]);
    const known = rows.filter(([value]) => value === value);
    const unknown = rows.filter(([value]) => value !== value); // always last
    known.sort(([a], [b]) => turn * compare(a, b));
    table.tBodies[0].append(...[...known, ...unknown].map(([, row]) => row));
  });
}

// On paper every table stands open.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const each of closed) each.open = true;
});
addEventListener("afterprint", () => {
  for (const each of closed) each.open = false;
});
