'use strict';
// Finds known errors in a log, in the browser, with the records' own patterns. Most patterns are
// literal text and groups of any text, and are matched by looking for their literals in order, which
// is what engine/compile/linear_pattern.cc does and as fast on any text; the others are regular
// expressions that were translated when the site was written (engine/compile/browser_pattern.cc).
//
// One literal of each pattern is looked for by four of its bytes, those that are rarest among all
// literals: one pass over the log finds the lines on which a pattern has to be tried at all.
globalThis.assay = globalThis.assay || {};

(() => {
  const { cleanText, splitLine, splitRecords, toBytes, fromBytes } = assay.logLines;
  const kGramBytes = 4;
  const kFilterShift = 14;  // the filter has 2 ** (32 - kFilterShift) bits
  const kFastLiteral = 12;  // a pattern without a longer one is looked up by its context as well
  const kBlock = 32 << 10;  // what is read between two chances for the page to do something else
  const kMaxExpressionText = 4096;  // a regular expression sees no more of a line

  // The leftmost match: {index, text, captures}, or null. `parts`: the head, then "C" + literal for
  // each group, where C is ? for .*?, + for .+?, * for .* and . for .+
  class LinearPattern {
    constructor(parts) {
      this.head = parts[0];
      this.steps = parts.slice(1).map((step) => ({
        minimum: step[0] === '+' || step[0] === '.' ? 1 : 0,
        isGreedy: step[0] === '*' || step[0] === '.',
        literal: step.slice(1),
      }));
      this.literals = [this.head, ...this.steps.map((step) => step.literal)].filter((l) => l !== '');
    }

    search(text) {
      const index = text.indexOf(this.head);
      if (index < 0) return null;
      let at = index + this.head.length;
      const captures = [];
      for (const { minimum, isGreedy, literal } of this.steps) {
        let end = text.length;
        if (text.length < at + minimum) return null;
        if (literal !== '')
          end = isGreedy ? text.lastIndexOf(literal) : text.indexOf(literal, at + minimum);
        if (end < at + minimum) return null;
        captures.push(text.slice(at, end));
        at = end + literal.length;
      }
      return { index, text: text.slice(index, at), captures };
    }
  }

  class ExpressionPattern {
    constructor(source, literals) {
      this.expression = new RegExp(source);
      this.literals = literals;
    }

    search(text) {
      let at = 0;
      for (const literal of this.literals) {
        at = text.indexOf(literal, at);
        if (at < 0) return null;
        at += literal.length;
      }
      const begin = text.length <= kMaxExpressionText || this.literals.length === 0 ? 0
        : Math.max(0, text.indexOf(this.literals[0]) - (kMaxExpressionText >> 2));
      const found = this.expression.exec(text.slice(begin, begin + kMaxExpressionText));
      return found && { index: begin + found.index, text: found[0], captures: found.slice(1) };
    }
  }

  // As the site's writer wrote it: a list is a linear pattern, {e: source, l: literals} another.
  function readPattern(written) {
    return Array.isArray(written) ? new LinearPattern(written)
      : new ExpressionPattern(written.e, written.l);
  }

  const countLineFeeds = (text) => text.split('\n').length - 1;
  const sum = (numbers) => numbers.reduce((all, n) => all + n, 0);

  class Entry {
    constructor(written, order) {
      this.message = written.message;
      this.path = written.path;
      this.severity = written.severity;
      this.isRetired = Boolean(written.retired);
      this.isWrapper = Boolean(written.wrapper);
      this.isSymptom = Boolean(written.symptom);
      this.fetch = written.fetch || '';
      this.order = order;
      this.pattern = readPattern(written.pattern);
      this.context = written.context && readPattern(written.context);
      this.literalBytes = sum(this.pattern.literals.map((literal) => literal.length));
      this.lineFeeds = sum(this.pattern.literals.map(countLineFeeds));
      this.lastLine = -1;
      this.places = new Set();  // of messages of several lines: each line may lead to it
    }

    // Of the literals that a line must hold for this pattern to be tried.
    scanned() {
      const own = this.pattern.literals;
      const all = this.context && !own.some((literal) => literal.length >= kFastLiteral)
        ? [...own, ...this.context.literals] : own;
      return all.flatMap((literal) => literal.split(/[\r\n]/));
    }

    searchLine(line) {
      if (this.context && !this.context.search(line.text)) return null;
      for (const { message, record } of line.records) {
        const found = this.pattern.search(message) || this.pattern.search(record);
        if (found) return found;
      }
      return line.records.length > 1 ? this.pattern.search(line.text) : null;
    }

    // A message of several lines, of which this is one: begun before it, or else in it.
    searchLines(text, begin, end) {
      let first = begin;
      for (let i = 0; i < this.lineFeeds && first > 0; ++i)
        first = text.lastIndexOf('\n', first - 2) + 1;
      for (let i = 0; i < this.lineFeeds && end < text.length; ++i) {
        const feed = text.indexOf('\n', end + 1);
        end = feed < 0 ? text.length : feed;
      }
      let found = this.pattern.search(text.slice(first, end));
      if (found && first + found.index + found.text.length <= begin) {
        first = begin;
        found = this.pattern.search(text.slice(begin, end));
      }
      return found && { ...found, place: first + found.index };
    }
  }

  // The line around `at`, and what it consists of.
  class Line {
    constructor(text, at) {
      const isLineEnd = (place) => text[place] === '\n' || text[place] === '\r';
      this.begin = at;
      while (this.begin > 0 && !isLineEnd(this.begin - 1)) --this.begin;
      this.end = at;
      while (this.end < text.length && !isLineEnd(this.end)) ++this.end;
      this.text = text.slice(this.begin, this.end);
      this.records = splitRecords(this.text).map((record) =>
        ({ record, message: splitLine(record).message }));
    }
  }

  function gramAt(text, at) {
    return (text.charCodeAt(at) << 24) | (text.charCodeAt(at + 1) << 16) |
      (text.charCodeAt(at + 2) << 8) | text.charCodeAt(at + 3);
  }
  const slotOf = (gram) => Math.imul(gram, 0x9e3779b1) >>> kFilterShift;

  function countGrams(literals) {
    const counts = new Map();
    for (const literal of literals)
      for (let at = 0; at + kGramBytes <= literal.length; ++at) {
        const gram = gramAt(literal, at);
        counts.set(gram, (counts.get(gram) || 0) + 1);
      }
    return counts;
  }

  class LogMatcher {
    // `records`: what site_log_patterns.cc writes.
    constructor(records) {
      this.entries = [];
      this.broken = [];
      for (const record of records) {
        try {
          this.entries.push(new Entry(record, this.entries.length));
        } catch {
          this.broken.push(record);  // this browser's RegExp is older than the pattern
        }
      }
      this.filter = new Uint32Array(1 << (32 - kFilterShift - 5));
      this.places = new Map();  // gram -> [{entry, literal, offset}]
      this.tryAlways = [];
      this.choosePlaces();
    }

    choosePlaces() {
      const scanned = this.entries.map((entry) => entry.scanned());
      const counts = countGrams(scanned.flat());
      this.entries.forEach((entry, i) => {
        let best = null;
        for (const literal of scanned[i])
          for (let offset = 0; offset + kGramBytes <= literal.length; ++offset) {
            const gram = gramAt(literal, offset);
            const count = counts.get(gram);
            if (!best || count < best.count) best = { gram, count, entry, literal, offset };
          }
        if (!best) {
          this.tryAlways.push(entry);
          return;
        }
        const slot = slotOf(best.gram);
        this.filter[slot >>> 5] |= 1 << (slot & 31);
        const others = this.places.get(best.gram);
        if (others) others.push(best);
        else this.places.set(best.gram, [best]);
      });
    }

    // All matches in the order of the text, of one line the more specific first: {entry, line,
    // text, matched, captures}, strings of bytes. Yields them for each block of the text, with the
    // block and the number of its first line, so that a page can stay responsive between them.
    * scan(bytes) {
      const text = cleanText(bytes);
      for (const entry of this.entries) {
        entry.lastLine = -1;
        entry.places.clear();
      }
      let line = 1;  // at `counted`
      let counted = 0;
      const lineAt = (at) => {
        if (at >= counted) line += countLineFeeds(text.slice(counted, at));
        else line -= countLineFeeds(text.slice(at, counted));
        counted = at;
        return line;
      };
      for (let begin = 0; begin < text.length;) {
        let end = text.indexOf('\n', Math.min(begin + kBlock, text.length));
        if (end < 0) end = text.length;
        const matches = this.scanBlock(text, begin, end);
        const first = lineAt(begin);
        for (const match of matches) match.line = lineAt(match.begin);
        yield { matches, block: text.slice(begin, end), first, read: end, length: text.length };
        begin = end + 1;
      }
    }

    scanBlock(text, begin, end) {
      const found = [];
      let line = null;
      const tryAt = (entry, at) => {
        if (!line || at < line.begin || at >= line.end) line = new Line(text, at);
        this.tryLine(entry, text, line, found);
      };
      let gram = 0;
      for (let at = begin; at < end; ++at) {
        gram = (gram << 8) | text.charCodeAt(at);
        const slot = Math.imul(gram, 0x9e3779b1) >>> kFilterShift;
        if ((this.filter[slot >>> 5] & (1 << (slot & 31))) === 0) continue;
        for (const { entry, literal, offset } of this.places.get(gram) || [])
          if (text.startsWith(literal, at + 1 - kGramBytes - offset)) tryAt(entry, at);
      }
      if (this.tryAlways.length > 0)
        for (let at = begin; at < end; at = line.end + 1) {
          line = new Line(text, at);
          for (const entry of this.tryAlways) this.tryLine(entry, text, line, found);
        }
      const isSpecific = (a, b) => a.isRetired - b.isRetired || b.literalBytes - a.literalBytes ||
        a.order - b.order;
      return found.sort((a, b) => a.begin - b.begin || isSpecific(a.entry, b.entry));
    }

    tryLine(entry, text, line, found) {
      if (line.begin === line.end || entry.lastLine === line.begin) return;
      entry.lastLine = line.begin;
      const hit = entry.lineFeeds === 0 ? entry.searchLine(line)
        : entry.searchLines(text, line.begin, line.end);
      if (!hit) return;
      let at = line;
      if (hit.place !== undefined) {  // the line that the message begins in
        if (entry.places.has(hit.place)) return;
        entry.places.add(hit.place);
        at = new Line(text, hit.place);
        if (entry.context && !entry.context.search(at.text)) return;
      }
      found.push({ entry, begin: at.begin, text: at.text, matched: hit.text, captures: hit.captures });
    }

    find(bytes) {
      return [...this.scan(bytes)].flatMap((block) => block.matches);
    }
  }

  // Without those where a more specific record explains the same bytes of a line.
  function withoutCovered(matches) {
    const kept = [];
    for (const match of matches) {
      const at = match.text.indexOf(match.matched);
      const end = at + match.matched.length;
      const isCovered = kept.some((other) => other.match.begin === match.begin && other.at < end &&
        at < other.end);
      if (!isCovered) kept.push({ match, at, end });
      if (kept.length > 64) kept.shift();
    }
    return kept.map((k) => k.match);
  }

  // Names for the captures, as the record's message calls its parts, else their numbers.
  function namedCaptures(message, captures) {
    const names = [...message.matchAll(/\{([^}]*)\}/g)].map((found) => found[1]);
    return captures.map((value, i) => ({
      name: names.length === captures.length && names[i] !== '' ? names[i] : String(i + 1),
      value: value === undefined ? '' : fromBytes(value),
    })).filter((capture) => capture.value !== '');
  }

  assay.LogMatcher = LogMatcher;
  assay.logMatching = { withoutCovered, namedCaptures, toBytes, fromBytes };
})();
