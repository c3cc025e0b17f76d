'use strict';
// Narrows the lists of an index page by severity, project, area and the like, and by words. What is
// chosen stands in the page's address (?severity=error&words=cache), so that it can be kept and sent.
// The values come from the search index, by the pages that the list links to.
(() => {
  const { element } = assay;
  const kFewest = 12;  // a shorter list needs no filter
  const kMaxShown = 400;
  const article = document.querySelector('main article');
  const kind = /\bpage-(\S+)/.exec(document.body.className)?.[1] || '';
  const pathOf = (address) => (address.startsWith(assay.root)
    ? address.slice(assay.root.length).replace(/[?#].*$/, '').replace(/\.html$/, '') : '');
  const path = pathOf(location.href).replace(/\/?$/, (end) => (end ? '/index' : ''));
  const isIndex = /\/index$/.test(path);
  if (!article || kind === 'home' || kind === 'explain') return;
  if (!isIndex && !['tag', 'cause', 'file', 'source', 'project', 'area', 'version', 'argument'].includes(kind)) return;

  // What the page itself lists, where it is not an index: [{entry, text, item}].
  function listedItems(entries) {
    const byPath = new Map(entries.map((entry) => [entry.path, entry]));
    return [...article.querySelectorAll('li, tbody tr')].map((item) => {
      const link = item.querySelector('a');
      return { item, entry: link && byPath.get(pathOf(link.href)), text: item.textContent.toLowerCase() };
    }).filter((listed) => listed.entry);
  }

  // All pages below an index, of which it may list but some.
  function itemsBelow(entries) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    return entries.filter((entry) => entry.path.startsWith(folder) && entry.path !== path)
      .map((entry) => ({ entry, item: null,
        text: `${entry.title} ${entry.detail} ${entry.terms}`.toLowerCase() }));
  }

  // [{name, label, values: [[value, count]]}] of the facets that tell the items apart.
  function facetsOf(written, items) {
    return written.facets.map((facet, i) => {
      const counts = new Map();
      for (const { entry } of items)
        if (entry.facets[i] !== '') counts.set(entry.facets[i], (counts.get(entry.facets[i]) || 0) + 1);
      const values = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
      return { ...facet, position: i, values };
    }).filter((facet) => facet.values.length > 1);
  }

  // Headings and lists of which nothing is shown are not shown either.
  function hideEmptyParts(items) {
    const all = new Set(items.map(({ item }) => item));
    const above = [];  // the headings that the next part stands under
    const counts = new Map();  // heading -> shown items
    for (const part of article.children) {
      const level = /^H([2-6])$/.exec(part.tagName)?.[1];
      if (level) {
        while (above.length > 0 && above[above.length - 1].level >= level) above.pop();
        above.push({ level, part });
        continue;
      }
      const listed = [...part.querySelectorAll('li, tbody tr')].filter((item) => all.has(item));
      if (listed.length === 0) continue;
      const shown = listed.filter((item) => !item.hidden).length;
      part.hidden = shown === 0;
      for (const { part: heading } of above) counts.set(heading, (counts.get(heading) || 0) + shown);
    }
    for (const [heading, shown] of counts) heading.hidden = shown === 0;
  }

  // Shows what fits in place of the page's lists: what is not listed is made invisible.
  function showListed(items, fitting) {
    const fits = new Set(fitting);
    for (const one of items) one.item.hidden = !fits.has(one);
    hideEmptyParts(items);
  }

  // Shows what fits as a list of its own, in place of everything below the filters.
  function showBelow(list, items, fitting) {
    const isAll = fitting.length === items.length;
    for (let part = list.nextElementSibling; part; part = part.nextElementSibling) part.hidden = !isAll;
    list.hidden = isAll;
    list.replaceChildren(...(isAll ? [] : fitting.slice(0, kMaxShown)).map(({ entry }) => element('li', {},
      element('a', { href: `${assay.root}${entry.path}.html` }, entry.title), ' ',
      element('small', {}, entry.detail))));
  }

  class Filters {
    constructor(items, facets, show) {
      this.items = items;
      this.show = show;
      this.facets = facets;
      this.words = element('input', { type: 'search', id: 'filter-words', autocomplete: 'off',
        spellcheck: 'false', input: () => this.change() });
      this.selects = facets.map((facet) => this.selectOf(facet));
      this.status = element('p', { role: 'status' });
      this.clear = element('button', { type: 'button', click: () => this.reset() }, 'Show all');
      const fields = [this.field('Words', this.words),
        ...facets.map((facet, i) => this.field(facet.label, this.selects[i]))];
      this.form = element('form', { class: 'filters', role: 'search', 'aria-label': 'Filter this list',
        submit: (event) => event.preventDefault() },
        element('div', { class: 'fields' }, ...fields),
        element('div', { class: 'result' }, this.status, this.clear));
    }

    field(label, control) {
      return element('div', { class: 'field' }, element('label', { for: control.id }, label), control);
    }

    selectOf(facet) {
      return element('select', { id: `filter-${facet.name}`, change: () => this.change() },
        element('option', { value: '' }, 'all'),
        ...facet.values.map(([value, count]) => element('option', { value }, `${value} (${count})`)));
    }

    read() {
      const asked = new URLSearchParams(location.search);
      this.words.value = asked.get('words') || '';
      this.facets.forEach((facet, i) => {
        const value = asked.get(facet.name) || '';
        this.selects[i].value = facet.values.some(([known]) => known === value) ? value : '';
      });
      this.apply();
    }

    change() {
      const kept = new URLSearchParams(location.search);
      const keep = (name, value) => (value === '' ? kept.delete(name) : kept.set(name, value));
      keep('words', this.words.value.trim());
      this.facets.forEach((facet, i) => keep(facet.name, this.selects[i].value));
      const text = kept.toString();
      history.replaceState(null, '', `${location.pathname}${text && `?${text}`}${location.hash}`);
      this.apply();
    }

    reset() {
      this.words.value = '';
      for (const select of this.selects) select.value = '';
      this.change();
      this.words.focus();
    }

    apply() {
      const words = this.words.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
      const fitting = this.items.filter(({ entry, text }) => words.every((word) => text.includes(word)) &&
        this.facets.every((facet, i) => this.selects[i].value === '' ||
          entry.facets[facet.position] === this.selects[i].value));
      this.show(this.items, fitting);
      const all = this.items.length;
      const rest = isIndex && fitting.length < all && fitting.length > kMaxShown ? `, the first ${kMaxShown} shown` : '';
      this.status.textContent = fitting.length === all ? `${all} in all` : `${fitting.length} of ${all}${rest}`;
      this.clear.hidden = fitting.length === all;
    }
  }

  async function start() {
    if (!isIndex && article.querySelectorAll('li a, tbody tr a').length < kFewest) return;
    const { written, entries } = await assay.loadSearch();
    const items = isIndex ? itemsBelow(entries) : listedItems(entries);
    if (items.length < kFewest) return;
    const list = element('ul', { class: 'found', hidden: true });
    const filters = new Filters(items, facetsOf(written, items),
      isIndex ? (all, fitting) => showBelow(list, all, fitting) : showListed);
    const before = article.querySelector(':scope > h2, :scope > ul:not(.actions), :scope > ol, :scope > .scroll');
    article.insertBefore(filters.form, before);
    filters.form.after(list);
    addEventListener('popstate', () => filters.read());
    filters.read();
  }
  start().catch(() => {});  // the list is whole without them
})();
