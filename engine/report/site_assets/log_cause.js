'use strict';
// Which of a pasted log's errors is the root cause, as far as the text alone tells: what
// engine/evaluate/root_cause.cc decides, without its reading of processes, restarts and launches.
// A message that only carries another is never the cause; one that tells of a wait or a lost
// connection is only where nothing else is known. Where that leaves nothing, the cause is not in
// the text.
globalThis.assay = globalThis.assay || {};

(() => {
  const { fromBytes } = assay.logLines;
  const kChain = /During handling of the above exception|The above exception was the direct cause/;
  const kErrorEnd = /(?:Error|Exception|Interrupt|Exit|Timeout)(?=: |[ \t]{0,16}(?:[\r\n]|$))/g;
  const kMaxPrefix = 256;
  // What stands in front of an exception that begins its line.
  const kPrefix = /\[[^\]]{0,80}\]:?|\([^)]{0,80}\)|\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|std(?:err|out)|F)\b|[\d\s:.,|TZ+-]/g;
  const kMaxUnknown = 200;
  const kChainLines = 400;  // between two errors of one chain

  // Reads the text beside the matches: exceptions that no pattern knows, and links of chains.
  class LogSurroundings {
    constructor() {
      this.unknown = [];  // {line, text}
      this.chainLines = [];
    }

    // A block of the cleaned text that begins at line `first`, and the lines of its matches.
    add(text, first, matchedLines) {
      let line = first;
      let counted = 0;
      const lineOf = (at) => {
        for (let feed = text.indexOf('\n', counted); feed >= 0 && feed < at; feed = text.indexOf('\n', counted)) {
          ++line;
          counted = feed + 1;
        }
        return line;
      };
      for (const found of text.matchAll(kErrorEnd)) {
        if (this.unknown.length >= kMaxUnknown) break;
        const begin = text.lastIndexOf('\n', found.index) + 1;
        if (found.index - begin > kMaxPrefix) continue;
        const name = /[\w.]*$/.exec(text.slice(begin, found.index))[0];
        const start = found.index - name.length;
        if (!/^(?:\w+\.)*[A-Z]/.test(name + found[0])) continue;
        if (text.slice(begin, start).replace(kPrefix, '') !== '') continue;
        const number = lineOf(begin);
        if (matchedLines.has(number) || this.unknown.some((one) => one.line === number)) continue;
        const line = text.slice(start, start + 300).split(/[\r\n]/, 1)[0];
        this.unknown.push({ line: number, text: fromBytes(line) });
      }
      if (!kChain.test(text)) return;
      text.split('\n').forEach((one, i) => { if (kChain.test(one)) this.chainLines.push(first + i); });
    }

    isChained(a, b) {
      return b.match.line - a.match.line <= kChainLines &&
        this.chainLines.some((line) => line > a.match.line && line < b.match.line);
    }
  }

  // Of an exception chain that begins with the first error the most specific: the innermost is
  // often too low.
  function mostSpecificOfChain(known, surroundings) {
    const chain = [known[0]];
    for (const next of known.slice(1)) {
      if (!surroundings.isChained(chain[chain.length - 1], next)) break;
      chain.push(next);
    }
    const best = chain.reduce((a, b) => (b.match.entry.literalBytes > a.match.entry.literalBytes ? b : a));
    return { best, length: chain.length };
  }

  // `groups`: [{match, count}], one a record, at its first place. {kind, group?, why, unknown?,
  // fetch?}; kind: cause (likely), possible, unknown (a line that no record describes), absent
  // (not in the text), none (no error).
  function findCause(groups, surroundings) {
    const inOrder = [...groups].sort((a, b) => a.match.line - b.match.line);
    const errors = inOrder.filter(({ match: { entry } }) => entry.severity === 'error' && !entry.isWrapper);
    const known = errors.filter(({ match: { entry } }) => !entry.isSymptom);
    const [unknown] = surroundings.unknown;
    if (known.length > 0) {
      const { best, length } = mostSpecificOfChain(known, surroundings);
      const why = length > 1 ? `The most specific of the ${length} known errors of an exception chain.`
        : known.length === 1 ? 'The only known error that carries no other.'
          : `The first of ${known.length} known errors that carry no other.`;
      const earlier = unknown && unknown.line < known[0].match.line
        ? ` The error at line ${unknown.line}, before it, is not known.` : '';
      return { kind: 'cause', group: best, why: why + earlier };
    }
    if (unknown)
      return { kind: 'unknown', unknown,
        why: `No record describes this error${inOrder.length > 0 ? '; what is known came with it' : ''}.` };
    if (errors.length > 0)
      return { kind: 'possible', group: errors[0],
        why: 'It tells that others failed or were slow, not why. Nothing more specific is in this text: look at the other processes first.' };
    const wrapper = inOrder.find(({ match: { entry } }) => entry.isWrapper);
    if (!wrapper) return { kind: 'none', why: '' };
    return { kind: 'absent', why: 'What was found only carries another error.', fetch: wrapper.match.entry.fetch };
  }

  assay.logCause = { LogSurroundings, findCause };
})();
