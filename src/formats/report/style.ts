/** The style sheet of a report, for light and dark mode, wide and narrow screens, and paper (A4, always in light mode). */
export const STYLE_SHEET = `
:root { color-scheme: light; --ground: #fff; --panel: #f4f6f8; --text: #17202b; --soft: #4a5665; --line: #c9d1da;
  --accent: #0b5cad; --good: #116b3c; --bad: #b3201c; --warn: #7a4b00; --below: #fbdcda; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --ground: #12161c; --panel: #1b2129; --text: #e6eaf0; --soft: #a9b4c2; --line: #3a4450;
    --accent: #7db8f5; --good: #6fd49b; --bad: #ff8f88; --warn: #f0bd66; --below: #4a2326; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem 4rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.8rem; margin: 0; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.75rem 0 .25rem; }
h4 { font-size: 1rem; margin: 0 0 .25rem; }
p, ul, dl { margin: .5rem 0; }
a { color: var(--accent); }
code { font: .875em ui-monospace, monospace; }
.soft, figcaption { color: var(--soft); }
.verdict, article { background: var(--panel); border: 1px solid var(--line); border-left: .4rem solid var(--soft);
  border-radius: .25rem; padding: .75rem 1rem; margin: 1rem 0; }
.verdict { font-size: 1.05rem; }
.verdict p:first-child { margin-top: 0; }
.verdict.good { border-left-color: var(--good); }
.verdict.bad, article.error { border-left-color: var(--bad); }
article.warning { border-left-color: var(--warn); }
.good strong, .passed { color: var(--good); }
.bad strong, .failed { color: var(--bad); }
.not-possible { color: var(--warn); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .875rem; width: 100%; overflow-wrap: normal; }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
td.text, tbody th { overflow-wrap: anywhere; min-width: 7rem; }
.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.figure + td.text, th.figure + th { padding-left: .6rem; }
.here { font-weight: 700; background: var(--below); }
figure { margin: 1rem 0 2rem; }
.chart { display: block; width: 100%; height: 11rem; margin-top: .5rem; background: var(--panel);
  border: 1px solid var(--line); }
.ends { display: flex; justify-content: space-between; gap: 1rem; font-size: .8rem; color: var(--soft); }
.ends.all span { flex: 1; text-align: center; }
.bar { display: block; width: 8rem; height: .9rem; }
path { vector-effect: non-scaling-stroke; fill: none; }
.line { stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.zero { stroke: var(--soft); stroke-width: 1; }
.break { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 5 4; }
.below { fill: var(--below); }
.start { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 1 4; }
.positive { fill: var(--accent); }
.negative { fill: var(--bad); }
.series1 { fill: var(--warn); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@page { size: A4; margin: 15mm 12mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  a { color: inherit; }
  nav { display: none; }
  .scroll { overflow: visible; }
  table { font-size: 7pt; }
  th, td { padding-right: 1.5mm; }
  .figure { white-space: normal; overflow-wrap: anywhere; }
  th, td, td.text, tbody th { min-width: 13.5mm; }
  .bar { width: 18mm; }
  .chart { height: 38mm; }
  thead { display: table-header-group; }
  tr, figure, .verdict { break-inside: avoid; }
  h2, h3, h4, caption { break-after: avoid; }
  svg { print-color-adjust: exact; }
}
`;
