import { pictureOf } from './branding.ts';
import { element } from './element.ts';
import type { Control, Screen } from './screen.ts';
import { shareOf } from './share.ts';

/** Shows screens in the document. All text is set as text, never as HTML. */
interface View<Action extends string> {
  show: (screen: Screen<Action>) => void;
}

/** @param onAction with the text of the field, on a screen that has one */
export function createView<Action extends string>(
  title: string,
  onAction: (action: Action, text: string | undefined) => void,
): View<Action> {
  const page = document.getElementById('page')!;
  let last = '';
  const act = (action: Action) => onAction(action, page.querySelector<HTMLInputElement>('input.text')?.value);
  // After "Back", a page from the browser's cache would show an outdated state.
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
        ...shareOf(screen),
        ...listsOf(screen, act),
        ...formOf(screen, act),
        ...moreOf(screen),
      );
      // Screen readers announce the new heading, and the keyboard continues from there.
      heading.focus({ preventScroll: true });
      scrollTo(0, 0);
    },
  };
}

function organizationOf({ organization = '' }: Screen<string>): Node[] {
  const name = element('span', { dir: 'auto' }, organization);
  return [element('p', { class: 'organization' }, ...(organization ? [pictureOf(organization), name] : []))];
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

function listsOf<Action extends string>({ lists = [] }: Screen<Action>, onAction: (action: Action) => void): Node[] {
  return lists.map(({ heading, items, empty, controls = [] }, i) => {
    const id = `list-${i}`;
    return element(
      'section',
      { 'aria-labelledby': id },
      element('h2', { id }, heading),
      ...(empty === undefined ? [] : [element('p', {}, empty)]),
      element(
        'ul',
        { class: 'cards' },
        ...items.map(({ title, lines, controls = [] }) =>
          element(
            'li',
            {},
            element('p', { class: 'name', dir: 'auto' }, title),
            ...lines.map((line) => element('p', { class: 'hint' }, line)),
            ...(controls.length > 0
              ? [
                  element(
                    'div',
                    { class: 'row', role: 'group', 'aria-label': title },
                    ...controls.map((control) => controlOf(control, 'small', onAction)),
                  ),
                ]
              : []),
          ),
        ),
      ),
      ...controls.map((control) => controlOf(control, 'secondary', onAction)),
    );
  });
}

/** With a field, the controls are those of a form, so that the Enter key sends it. */
function formOf<Action extends string>(screen: Screen<Action>, onAction: (action: Action) => void): Node[] {
  const controls = controlsOf(screen, onAction);
  const { field, primary } = screen;
  if (!field) return controls;
  const { label, value, maxLength } = field;
  const input = element('input', { class: 'text', id: 'field', type: 'text', maxlength: String(maxLength), value });
  const form = element('form', {}, element('label', { for: 'field' }, label), input, ...controls);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (primary && 'action' in primary) onAction(primary.action);
  });
  return [form];
}

function controlsOf<Action extends string>(
  { primary, other, secondary, suggestions, links = [] }: Screen<Action>,
  onAction: (action: Action) => void,
): Node[] {
  return [
    ...(primary ? [controlOf(primary, 'primary', onAction)] : []),
    ...(suggestions ? [suggestionsInput()] : []),
    ...(other ? [controlOf(other, 'secondary', onAction)] : []),
    ...(secondary ? [controlOf(secondary, 'secondary', onAction)] : []),
    ...links.map((link) => controlOf(link, 'secondary', onAction)),
  ];
}

function controlOf<Action extends string>(
  control: Control<Action>,
  rank: string,
  onAction: (action: Action) => void,
): Node {
  if ('href' in control)
    return element('a', { class: `control ${rank}`, href: control.href, rel: 'noreferrer' }, control.label);
  const button = element('button', { class: `control ${rank}`, type: 'button' }, control.label);
  button.addEventListener('click', () => onAction(control.action));
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

function moreOf({ more = [] }: Screen<string>): Node[] {
  return more.map(({ summary, text, link }) =>
    element(
      'details',
      {},
      element('summary', {}, summary),
      element('p', {}, text),
      ...(link ? [controlOf(link, 'secondary', () => undefined)] : []),
    ),
  );
}
