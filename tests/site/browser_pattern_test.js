'use strict';
// Translated patterns against RE2, on random patterns and texts: the same match and the same captures.
const assert = require('node:assert');
const test = require('node:test');
const { matchTexts, makeRandom } = require('./site_script.js');

const program = process.argv[2];
const kAtoms = ['a', 'b', 'kv', '.', '\\d', '\\w', '\\s', '\\S', '\\W', '[a-c]', '[^a-c]', '[[:alpha:]]', '[^[:space:]x]',
  '[\\]\\-x]', '[]a]', '\\.', '\\x41', '\\x{42}', '\\C', '\\Qa.b\\E', '\xe9', '(?i:kV)', '(?s:.)', ' ', ':', '\\t',
  '(a|b)', '(?:a|kv)', '(.+?)', '(.*?)', '(.+)', '(.*)', '(?P<name>a+)', '([^ ]+)', '(a(b)?)', '\\b', '\\B', '(?m:^)', '(?m:$)',
  '(|a)', '(?U:a+b)', '(?i)', '(?-i)', '\\101', '{', '}', '{,2}', '-', '/'];
const kQuantifiers = ['', '', '', '', '', '?', '*', '+', '??', '*?', '+?', '{2}', '{1,3}', '{2,}', '{0,2}?'];
const kPieces = ['a', 'b', 'kv', 'KV', 'Kv', 'ab', 'abc', ' ', '\n', '\t', '1', '_', '.', 'a.b', ':', '\xe9', '\xff', 'A', 'B', ']',
  '-', 'x', '{', '}', '\r', '\x0b', '\xa0', '{,2}', '/'];

function randomPattern(random) {
  let pattern = random.below(10) === 0 ? random.oneOf(['^', '\\A', '(?i)', '(?s)', '(?m)', '(?U)']) : '';
  for (let n = 1 + random.below(5); n > 0; --n) {
    const quantifier = random.oneOf(kQuantifiers);
    pattern += random.oneOf(kAtoms) + quantifier;
    if (random.below(12) === 0) pattern += '|';
  }
  return random.below(10) === 0 ? pattern + random.oneOf(['$', '\\z']) : pattern;
}

test('a translated pattern has the matches of RE2', () => {
  const random = makeRandom(42);
  const pairs = [];
  for (let i = 0; i < 60000; ++i) {
    let text = '';
    for (let n = random.below(9); n > 0; --n) text += random.oneOf(kPieces);
    pairs.push(randomPattern(random), text);
  }
  const answers = JSON.parse(matchTexts(program, 'search', pairs));
  const counts = { refused: 0, matched: 0, missed: 0 };
  answers.forEach((answer, i) => {
    if (answer === null) return;  // no pattern for RE2 either
    if (answer.expression === null) {
      ++counts.refused;
      return;
    }
    const [pattern, text] = pairs.slice(2 * i, 2 * i + 2);
    const found = new RegExp(answer.expression).exec(text);
    const row = found && [...found].map((part) => part ?? null);
    assert.deepStrictEqual(row, answer.match,
      `${JSON.stringify(pattern)} as ${answer.expression} in ${JSON.stringify(text)}`);
    ++counts[row ? 'matched' : 'missed'];
  });
  assert.ok(counts.matched > 10000 && counts.missed > 5000, JSON.stringify(counts));
});
