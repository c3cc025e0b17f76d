'use strict';
// Search over the titles, details and terms of the site's pages. The words of all entries make a
// sorted dictionary when the index is loaded; a word of a query is looked up there exactly, then as
// a beginning, and where that gives little, by edit distance, so that a slip of the keys is
// forgiven. Rare words count more than common ones, titles more than details.
globalThis.assay = globalThis.assay || {};

(() => {
  const kMaxQueryWords = 24;
  const kMaxQueryCharacters = 400;
  const kFew = 5;  // fewer entries than this from exact words: misspellings are tried as well
  const kWeights = { title: 3, terms: 2, detail: 1.5 };

  const kName = /[0-9A-Za-z\u0080-\uffff]+(?:[_.\-]+[0-9A-Za-z\u0080-\uffff]+)*/g;
  const kCamelParts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

  // "kv_cache_dtype" is kv, cache, dtype and kvcachedtype; "ValueError" value, error, valueerror.
  function wordsOf(text) {
    const words = [];
    for (const name of text.match(kName) || []) {
      const parts = name.split(/[_.\-]+/);
      for (const part of parts) {
        if (/[a-z][A-Z]/.test(part))
          for (const word of part.match(kCamelParts)) words.push(word.toLowerCase());
        words.push(part.toLowerCase());
      }
      if (parts.length > 1) words.push(parts.join('').toLowerCase());
    }
    return words;
  }

  // A bit for each letter and digit that occurs, to tell quickly that words differ much.
  function letterMask(word) {
    let mask = 0;
    for (let i = 0; i < word.length; ++i) mask |= 1 << (word.charCodeAt(i) & 31);
    return mask;
  }

  function countBits(mask) {
    mask -= (mask >>> 1) & 0x55555555;
    mask = (mask & 0x33333333) + ((mask >>> 2) & 0x33333333);
    return Math.imul((mask + (mask >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }

  const kMaxWord = 40;  // of a longer one only the beginning is compared
  const rows = [0, 1, 2].map(() => new Uint8Array(kMaxWord + 1));

  // Edits (insert, delete, replace, exchange neighbours) from `word` to `term`, or to a beginning of
  // it; more than `limit` is told as limit + 1.
  function editDistance(word, term, limit, isPrefix) {
    const height = Math.min(word.length, kMaxWord);
    const width = Math.min(term.length, height + limit, kMaxWord);
    if (!isPrefix && Math.abs(term.length - word.length) > limit) return limit + 1;
    let [before, row, next] = rows;
    for (let j = 0; j <= width; ++j) row[j] = j;
    for (let i = 1; i <= height; ++i) {
      const c = word.charCodeAt(i - 1);
      const previous = i > 1 ? word.charCodeAt(i - 2) : -1;
      let least = next[0] = i;
      for (let j = 1; j <= width; ++j) {
        const other = term.charCodeAt(j - 1);
        let cost = Math.min(row[j - 1] + (c === other ? 0 : 1), row[j] + 1, next[j - 1] + 1);
        if (i > 1 && j > 1 && previous === other && c === term.charCodeAt(j - 2))
          cost = Math.min(cost, before[j - 2] + 1);
        next[j] = cost;
        if (cost < least) least = cost;
      }
      if (least > limit) return limit + 1;
      [before, row, next] = [row, next, before];
    }
    if (!isPrefix) return row[width];
    let least = limit + 1;
    for (let j = 0; j <= width; ++j) if (row[j] < least) least = row[j];
    return least;
  }

  class SearchIndex {
    // `entries`: [{kind, path, title, detail, terms}]
    constructor(entries) {
      this.entries = entries;
      const found = new Map();  // word -> [entry, weight, entry, weight...]
      const known = new Map();
      const wordsOfMany = (text) => {  // tags and details are the same for many entries
        if (!known.has(text)) known.set(text, wordsOf(text));
        return known.get(text);
      };
      const add = (words, entry, weight) => {
        for (const word of words) {
          let places = found.get(word);
          if (!places) found.set(word, (places = []));
          // The texts of an entry come together, those that weigh most first.
          if (places.length === 0 || places[places.length - 2] !== entry)
            places.push(entry, weight);
        }
      };
      entries.forEach((entry, i) => {
        add(wordsOf(entry.title), i, kWeights.title);
        add(wordsOfMany(entry.terms), i, kWeights.terms);
        add(wordsOfMany(entry.detail), i, kWeights.detail);
      });
      this.words = [...found.keys()].sort();
      this.places = this.words.map((word) => Float32Array.from(found.get(word)));
      this.masks = this.words.map(letterMask);
      this.total = new Float32Array(entries.length);
      this.best = new Float32Array(entries.length);
    }

    firstAtOrAfter(word) {
      let low = 0;
      let high = this.words.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.words[middle] < word) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    // [{index, factor}] of the dictionary's words that `word` may mean.
    meaningsOf(word, isLast) {
      const meanings = [];
      let entries = 0;
      for (let i = this.firstAtOrAfter(word); i < this.words.length; ++i) {
        const term = this.words[i];
        if (!term.startsWith(word)) break;
        const factor = term === word ? 1 : (isLast ? 0.85 : 0.6) * (0.5 + 0.5 * word.length / term.length);
        if (word.length === 1 && term !== word && !isLast) continue;
        meanings.push({ index: i, factor });
        entries += this.places[i].length / 2;
      }
      const limit = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
      if (entries >= kFew || limit === 0) return meanings;
      const mask = letterMask(word);
      for (let i = 0; i < this.words.length; ++i) {
        const term = this.words[i];
        if (term.length < word.length - limit || countBits(mask & ~this.masks[i]) > limit) continue;
        const distance = editDistance(word, term, limit, isLast);
        if (distance > 0 && distance <= limit)
          meanings.push({ index: i, factor: 0.6 / distance * (0.5 + 0.5 * Math.min(1, word.length / term.length)) });
      }
      return meanings;
    }

    // Adds what `word` says of each entry to this.total; returns its weight, 0 where it says nothing.
    weigh(word, isLast, touched) {
      const meanings = this.meaningsOf(word, isLast);
      const here = [];
      for (const { index, factor } of meanings) {
        const places = this.places[index];
        const rarity = Math.log(1 + this.entries.length / (places.length / 2));
        for (let p = 0; p < places.length; p += 2) {
          const entry = places[p];
          const score = factor * rarity * places[p + 1];
          if (this.best[entry] === 0) here.push(entry);
          if (score > this.best[entry]) this.best[entry] = score;
        }
      }
      for (const entry of here) {
        if (this.total[entry] === 0) touched.push(entry);
        // To have one more of the words counts more than to have one in a better place.
        this.total[entry] += this.best[entry] + 4;
        this.best[entry] = 0;
      }
    }

    // The entries that fit best, at most `limit`: [{entry, score}].
    search(query, limit = 12, accepts = () => true) {
      const text = query.slice(0, kMaxQueryCharacters);
      const words = [...new Set(wordsOf(text))].slice(0, kMaxQueryWords);
      const touched = [];
      const isTyping = /[0-9A-Za-z\u0080-\uffff]$/.test(text);
      const last = isTyping ? words[words.length - 1] : null;
      for (const word of words) this.weigh(word, word === last, touched);
      const phrase = text.trim().toLowerCase();
      const found = [];
      for (const index of touched) {
        const entry = this.entries[index];
        let score = this.total[index];
        this.total[index] = 0;
        if (!accepts(entry)) continue;
        const title = entry.title.toLowerCase();
        if (phrase.length > 2 && title.includes(phrase)) score *= title.length === phrase.length ? 2 : 1.3;
        // The shorter, the more of it was asked for.
        found.push({ entry, score: score / (1 + 0.0015 * Math.min(title.length, 500)), index });
      }
      found.sort((a, b) => b.score - a.score || a.index - b.index);
      return found.slice(0, limit);
    }
  }

  // The index as the site's writer wrote it, with its columns taken apart.
  function readSearchIndex(written) {
    return written.entries.map(([kind, path, title, detail, terms, ...facets]) => ({
      kind: written.kinds[kind], path, title, detail, terms,
      facets: facets.map((value, i) => (value < 0 ? '' : written.facets[i].values[value])),
    }));
  }

  assay.SearchIndex = SearchIndex;
  assay.searching = { wordsOf, editDistance, readSearchIndex };
})();
