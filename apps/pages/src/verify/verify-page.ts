import { element } from '../screen/element.ts';
import { wordsOf } from '../texts.ts';
import { verify } from '../texts/en/verify.ts';
import type { Outcome } from './verification.ts';
import { verifyForm } from './verify-form.ts';
import { outcomeScreen } from './verify-screen.ts';
import { serveTask, type Report, type Task } from './verify-worker.ts';

const words = wordsOf('verify', verify);

/**
 * The worker runs this same file, so that page and worker are of one version: during a deployment a page may get the
 * files of another one.
 */
if (typeof document === 'undefined') serveTask(globalThis as unknown as Parameters<typeof serveTask>[0]);
else startPage();

function startPage(): void {
  const page = document.getElementById('page')!;
  const form = verifyForm(start);
  let worker: Worker | undefined;
  showForm();

  function show(tone: string, heading: string, ...content: Node[]): void {
    document.title = [heading, words.title].join(' – ');
    page.setAttribute('aria-busy', String(tone === 'busy'));
    const h1 = element('h1', { tabindex: '-1' }, heading);
    page.replaceChildren(element('div', { class: `icon ${tone}`, 'aria-hidden': 'true' }), h1, ...content);
    // Screen readers announce the new heading, and the keyboard continues from there.
    h1.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  function showForm(): void {
    show('calm', words.heading, ...words.body.map(paragraph), form.node, paragraph(words.trust));
  }

  function start(): void {
    const file = form.file();
    if (!file) return;
    const progress = element('progress', { max: '100', value: '0', 'aria-label': words.progress });
    show('busy', words.verifying, paragraph(words.verifyingBody), progress, button(words.cancel, stop));
    worker = new Worker(import.meta.url, { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      if ('percent' in data) progress.value = data.percent;
      else finish(data.outcome);
    };
    worker.onerror = () => finish({ kind: 'undecided', message: words.failed });
    worker.postMessage({ file, given: form.given() } satisfies Task);
  }

  function stop(): void {
    worker?.terminate();
    showForm();
  }

  function finish(outcome: Outcome): void {
    worker?.terminate();
    const { tone, heading, body, facts = [], findings } = outcomeScreen(outcome);
    const list = facts.map(({ name, value }) =>
      element('div', {}, element('dt', {}, name), element('dd', { dir: 'auto' }, value)),
    );
    show(
      tone,
      heading,
      ...body.map(paragraph),
      ...(list.length > 0 ? [element('dl', {}, ...list)] : []),
      ...(findings.length > 0 ? [element('ul', {}, ...findings.map((text) => element('li', {}, text)))] : []),
      button(words.again, showForm),
    );
  }
}

function paragraph(text: string): HTMLElement {
  return element('p', {}, text);
}

function button(label: string, onClick: () => void): HTMLElement {
  const made = element('button', { class: 'control secondary', type: 'button' }, label);
  made.addEventListener('click', onClick);
  return made;
}
