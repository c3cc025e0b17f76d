'use strict';
// What a page must have so that everybody can read and use it; runs in the page. Returns the faults
// as texts.
function findAccessibilityFaults() {
  const faults = [];
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const isShown = (element) => element.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? true;
  const name = (element) => `${element.tagName.toLowerCase()}${element.id && `#${element.id}`}.${element.className} "${element.textContent.trim().slice(0, 30)}"`;

  if (!document.documentElement.lang) faults.push('the page has no language');
  if (!document.title) faults.push('the page has no title');
  for (const landmark of ['header', 'main'])
    if (all(landmark).length !== 1) faults.push(`there is not one ${landmark}`);
  if (all('h1').length !== 1) faults.push('there is not one h1');
  let level = 0;
  for (const heading of all('h1, h2, h3, h4, h5, h6')) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push(`a level is missing before ${name(heading)}`);
    level = next;
    if (heading.textContent.trim() === '') faults.push(`${heading.tagName} is empty`);
  }
  const ids = all('[id]').map((element) => element.id);
  for (const id of new Set(ids.filter((one, i) => ids.indexOf(one) !== i))) faults.push(`two elements have the id ${id}`);
  for (const attribute of ['aria-controls', 'aria-describedby', 'aria-labelledby', 'aria-activedescendant', 'for'])
    for (const element of all(`[${attribute}]`))
      for (const id of element.getAttribute(attribute).split(/\s+/))
        if (!document.getElementById(id)) faults.push(`${attribute} of ${name(element)} names nothing: ${id}`);
  for (const control of all('input, select, textarea, button'))
    if (isShown(control) && !control.labels?.length && !control.ariaLabel && control.textContent.trim() === '')
      faults.push(`${name(control)} has no label`);
  for (const link of all('a[href]'))
    if (isShown(link) && link.textContent.trim() === '' && !link.ariaLabel) faults.push(`a link to ${link.href} has no text`);
  for (const nav of all('nav')) if (all('nav').length > 1 && !nav.ariaLabel) faults.push('one nav of several has no label');
  for (const element of all('[tabindex]')) if (element.tabIndex > 0) faults.push(`${name(element)} has a place of its own in the order of tabs`);
  for (const list of all('ul, ol'))
    if ([...list.children].some((child) => child.tagName !== 'LI')) faults.push(`${name(list)} holds what is no item`);
  for (const table of all('table')) {
    if (all('th[scope=col]', table).length === 0) faults.push(`${name(table)} has no heads`);
  }
  for (const element of all('main *')) {
    const style = getComputedStyle(element);
    const scrolls = /auto|scroll/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
    if (scrolls && isShown(element) && element.tabIndex < 0 && element.querySelector('a, button, input') === null)
      faults.push(`${name(element)} scrolls and cannot be reached with keys`);
  }

  // Contrast: 4.5 for text, 3 for large text.
  const parse = (text) => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return { rgb: parts.slice(0, 3), alpha: parts[3] ?? 1 };
  };
  const over = (top, under) => top.rgb.map((c, i) => c * top.alpha + under[i] * (1 - top.alpha));
  const backgrounds = new Map();
  const backgroundOf = (element) => {
    if (!element) return [255, 255, 255];
    if (!backgrounds.has(element)) {
      const layer = parse(getComputedStyle(element).backgroundColor);
      backgrounds.set(element, layer.alpha === 1 ? layer.rgb : over(layer, backgroundOf(element.parentElement)));
    }
    return backgrounds.get(element);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const told = new Set();
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (seen.has(element) || walker.currentNode.data.trim() === '') continue;
    seen.add(element);
    if (seen.size > 3000) break;
    if (!isShown(element) || /^(?:SCRIPT|STYLE|OPTION)$/.test(element.tagName)) continue;
    const style = getComputedStyle(element);
    const under = backgroundOf(element);
    const [light, dark] = [luminance(over(parse(style.color), under)), luminance(under)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const key = `${style.color} on ${under.map(Math.round)}`;
    if (contrast < (isLarge ? 3 : 4.5) && !told.has(key)) {
      told.add(key);
      faults.push(`contrast ${contrast.toFixed(2)} of ${name(element)}: ${key}`);
    }
  }
  return faults;
}

module.exports = { findAccessibilityFaults };
