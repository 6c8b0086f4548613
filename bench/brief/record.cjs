// Record what the functions of a package answer to fixed arguments: record.cjs PACKAGE OUT.
const fs = require("fs");
const library = require(process.argv[2]);
const values = [
  "", "a", "Hello World", "foo-bar_baz", "été déjà vu", "1.2.3", ">=1.2.0 <2", "^1.0.0-beta.1", "127.0.0.1",
  "joe@example.com", "https://example.com/a?b=c&d", "&lt;b&gt; &amp; \"q\"", "日本語 テキスト", "  padded  ", "12", "-3.5", "2024-02-29",
  "#ff00cc", "{\"a\": [1, 2]}", "4111111111111111", 0, 1, 7, -2, 3.75, true, null, [1, 2, 3], [3, 1, 2, 1], ["b", "a", "c"],
  [[1, 2], [3, [4]]], [{ a: 1, b: 2 }, { a: 2, b: 1 }], { a: 1, b: { c: 2 } }, { x: [1, 2], y: "z" },
];
const pairs = [["1.2.3", "1.2.4"], ["1.2.3", "^1.0.0"], ["2.0.0", "minor"], ["abc", "b"], [[1, 2, 3], 2], [[3, 1, 2], [2, 1]],
  ["a-b-c", "-"], [{ a: { b: 3 } }, "a.b"], ["Hello", 3], [10, 3], ["x", 5, "-"], [[1, 2, 3, 4], 2, 3], ["aXbXc", "X", 2]];
const plain = (value) => {
  try {
    const text = JSON.stringify(value);
    return text !== undefined && text.length < 300 && JSON.stringify(JSON.parse(text)) === text;
  } catch { return false; }
};
const found = [];
const names = typeof library === "function" && !Object.keys(library).length ? [""] : Object.keys(library).sort();
for (const name of names) {
  if (/^(now|random|sample|sampleSize|shuffle|uniqueId|runInContext|mixin|noConflict|template|defer|delay|range|rangeRight|times|repeat|pad|padStart|padEnd|fill|toArray)$/.test(name)) continue;
  const call = name ? library[name] : library;
  if (typeof call !== "function") continue;
  for (const args of [...values.map((value) => [value]), ...pairs]) {
    try {
      const given = JSON.stringify(args);
      const one = call(...JSON.parse(given)), two = call(...JSON.parse(given));
      if (plain(one) && JSON.stringify(one) === JSON.stringify(two) && one !== null) found.push({ name, args: given, expected: JSON.stringify(one) });
    } catch { /* what throws is not recorded */ }
  }
}
fs.writeFileSync(process.argv[3], JSON.stringify(found));
