/** The style sheet of a report, for light and dark mode, wide and narrow screens, and paper (A4, always in light mode). */
export const STYLE_SHEET = `
:root { color-scheme: light; --ground: #fff; --panel: #f4f6f8; --text: #17202b; --soft: #4a5665; --line: #c9d1da;
  --accent: #0b5cad; --second: #b06a00; --good: #116b3c; --bad: #b3201c; --warn: #7a4b00; --below: #fbdcda; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --ground: #12161c; --panel: #1b2129; --text: #e6eaf0; --soft: #a9b4c2; --line: #3a4450;
    --accent: #7db8f5; --second: #f0bd66; --good: #6fd49b; --bad: #ff8f88; --warn: #f0bd66; --below: #4a2326; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.9rem; margin: 0 0 .75rem; }
h2 { font-size: 1.3rem; margin: 2rem 0 .5rem; padding-top: .5rem; border-top: 2px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p, ul, ol, dl { margin: .4rem 0; }
ul, ol { padding-left: 1.3rem; }
a { color: var(--accent); }
code { font: .875em ui-monospace, monospace; }
.kind { margin: 0; color: var(--soft); text-transform: uppercase; letter-spacing: .08em; font-size: .8rem; }
.soft, figcaption { color: var(--soft); font-weight: 400; }
.verdict { background: var(--panel); border-left: .3rem solid var(--soft); padding: .4rem .75rem; }
.verdict.good { border-left-color: var(--good); }
.verdict.bad { border-left-color: var(--bad); }
.good strong, .passed { color: var(--good); }
.bad strong, .failed { color: var(--bad); }
.not-possible { color: var(--warn); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
.columns { columns: 20rem 2; column-gap: 2rem; }
.columns li { break-inside: avoid; }
.plain { list-style: none; padding: 0; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .875rem; min-width: min(100%, 28rem); }
caption { font-size: 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
.figure { text-align: right; font-variant-numeric: tabular-nums; }
td.figure, tbody th.figure, td .whole, th .whole { white-space: nowrap; }
.whole { display: inline-block; max-width: 100%; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: .5rem 1.5rem; }
figure { margin: 0; min-width: 0; }
figure h3 { margin: .5rem 0 .25rem; }
figcaption { font-size: .8rem; }
.chart { display: block; width: 100%; max-width: 30rem; }
.chart text { font-size: 10.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.key { width: .7em; height: .7em; }
path { fill: none; }
.grid { stroke: var(--line); stroke-width: 1; }
.line { stroke: var(--accent); stroke-width: 1.75; stroke-linejoin: round; }
.zero { stroke: var(--soft); stroke-width: 1; }
.break { stroke: var(--bad); stroke-width: 1.25; stroke-dasharray: 4 3; }
.start { stroke: var(--text); stroke-width: 1.25; stroke-dasharray: 1 3; }
.below { fill: var(--below); }
.series0 { fill: var(--accent); }
.series1 { fill: var(--second); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media screen and (max-width: 40rem) {
  thead { display: none; }
  table, tbody, tr, tbody th, td { display: block; }
  table { min-width: 0; }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line); }
  th, td, th:last-child, td:last-child { padding: 0; border: 0; overflow-wrap: anywhere; }
  tbody th { font-weight: 600; text-align: left; }
  td { display: flow-root; }
  td::before { content: attr(data-label); float: left; padding-right: 1rem; color: var(--soft); }
}
@page { size: A4; margin: 14mm 12mm 16mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; color: #4a5665; } }
@media print {
  body { max-width: none; padding: 0; font-size: 8.5pt; line-height: 1.35; }
  h1 { font-size: 16pt; margin-bottom: 4pt; }
  h2 { font-size: 12pt; margin: 7pt 0 2pt; padding-top: 3pt; }
  h3 { font-size: 9pt; margin: 7pt 0 1pt; }
  p, ul, ol, dl { margin: 2pt 0; }
  a { color: inherit; }
  .scroll { overflow: visible; margin: 2pt 0; }
  table { font-size: 7.5pt; }
  th, td { padding: 1.2pt 6pt 1.2pt 0; }
  .charts { grid-template-columns: repeat(2, 1fr); gap: 2pt 12pt; }
  .chart { max-width: 70mm; }
  figcaption { font-size: 7.5pt; }
  thead { display: table-header-group; }
  tr, li, p, figure, .verdict { break-inside: avoid; }
  h2, h3, p.soft, p:has(+ .charts), p:has(+ .scroll) { break-after: avoid; }
  .short { break-inside: avoid; }
  svg, .verdict { print-color-adjust: exact; }
}
`;
