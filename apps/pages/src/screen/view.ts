import type { Act, Screen } from './screen.ts';

/** The thin layer between a screen and the document. Text is only ever set as text. */
export interface View<Action extends string> {
  show: (screen: Screen<Action>) => void;
}

export function openView<Action extends string>(title: string, act: (action: Action) => void): View<Action> {
  const page = document.getElementById('page')!;
  let last = '';
  // Back from where it led to, a page kept by the browser would show a moment that is over.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  return {
    show: (screen) => {
      const now = JSON.stringify(screen);
      if (now === last) return;
      last = now;
      document.title = [screen.heading, screen.organization ?? title].join(' – ');
      page.setAttribute('aria-busy', String(screen.tone === 'busy'));
      const heading = headingOf(screen.heading);
      page.replaceChildren(
        ...organizationOf(screen),
        element('div', { class: `icon ${screen.tone}`, 'aria-hidden': 'true' }),
        heading,
        ...bodyOf(screen),
        ...actsOf(screen, act),
        ...moreOf(screen),
      );
      // Who cannot see that the page changed hears its new heading, and goes on from there by keyboard.
      heading.focus({ preventScroll: true });
      scrollTo(0, 0);
    },
  };
}

function organizationOf({ organization = '' }: Screen<string>): Node[] {
  const name = element('span', { dir: 'auto' }, organization);
  const initial = element(
    'span',
    { class: 'initial', 'aria-hidden': 'true' },
    [...organization.trim()][0]?.toUpperCase() ?? '',
  );
  return [element('p', { class: 'organization' }, ...(organization ? [initial, name] : []))];
}

function headingOf(text: string): HTMLElement {
  return element('h1', { tabindex: '-1', dir: 'auto' }, text);
}

function bodyOf({ body, facts }: Screen<string>): Node[] {
  const list = (facts ?? []).map(({ name, value }) =>
    element('div', {}, element('dt', {}, name), element('dd', { dir: 'auto' }, value)),
  );
  return [...body.map((text) => element('p', {}, text)), ...(list.length > 0 ? [element('dl', {}, ...list)] : [])];
}

function actsOf<Action extends string>(
  { primary, other, secondary, suggestions }: Screen<Action>,
  act: (action: Action) => void,
): Node[] {
  return [
    ...(primary ? [actOf(primary, 'primary', act)] : []),
    ...(suggestions ? [suggestionsInput()] : []),
    ...(other ? [actOf(other, 'secondary', act)] : []),
    ...(secondary ? [actOf(secondary, 'secondary', act)] : []),
  ];
}

function actOf<Action extends string>(shown: Act<Action>, rank: string, act: (action: Action) => void): Node {
  if ('href' in shown) return element('a', { class: `act ${rank}`, href: shown.href, rel: 'noreferrer' }, shown.label);
  const button = element('button', { class: `act ${rank}`, type: 'button' }, shown.label);
  button.addEventListener('click', () => act(shown.action));
  return button;
}

/**
 * Browsers tie conditional UI to an input whose `autocomplete` ends in "webauthn" (HTML §4.10.18.7.1). There is nothing
 * to type, so the input is out of sight, out of the order of focus and out of the accessibility tree.
 */
function suggestionsInput(): Node {
  return element('input', {
    class: 'suggestions',
    type: 'text',
    autocomplete: 'username webauthn',
    readonly: '',
    tabindex: '-1',
    'aria-hidden': 'true',
  });
}

function moreOf({ more }: Screen<string>): Node[] {
  return more ? [element('details', {}, element('summary', {}, more.summary), element('p', {}, more.text))] : [];
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
