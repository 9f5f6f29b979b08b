import { element } from '../screen/element.ts';
import { wordsOf } from '../texts.ts';
import { verify } from '../texts/en/verify.ts';
import type { Given } from './verification.ts';

const words = wordsOf('verify', verify);

interface VerifyForm {
  node: HTMLFormElement;
  /** Undefined before a file is chosen. */
  file: () => File | undefined;
  given: () => Given;
}

/** The form of the page. It keeps what was typed while a result is shown. */
export function verifyForm(onSubmit: () => void): VerifyForm {
  const file = element('input', { id: 'file', type: 'file', required: '', 'aria-describedby': 'file-hint' });
  const keys = textarea('keys', { required: '', rows: '3' });
  const checkpoint = textarea('checkpoint', { rows: '5' });
  const witnesses = textarea('witnesses', { rows: '3' });
  const quorum = element('input', {
    id: 'quorum',
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    pattern: '[0-9]{1,2}',
    'aria-describedby': 'quorum-hint',
  });
  const allow = element('input', { id: 'allow', type: 'checkbox' });
  const node = element(
    'form',
    {},
    ...field(file, words.file, words.fileHint),
    ...field(keys, words.keys, words.keysHint),
    element(
      'details',
      {},
      element('summary', {}, words.further),
      ...field(checkpoint, words.keptCheckpoint, words.keptCheckpointHint),
      ...field(witnesses, words.witnesses, words.witnessesHint),
      ...field(quorum, words.quorum, words.quorumHint),
      element('p', { class: 'choice' }, allow, element('label', { for: 'allow' }, words.allowUnprovable)),
    ),
    element('button', { class: 'control primary', type: 'submit' }, words.verify),
  );
  node.addEventListener('submit', (event) => {
    event.preventDefault();
    onSubmit();
  });
  return {
    node,
    file: () => file.files?.[0],
    given: () => ({
      keys: keys.value,
      checkpoint: checkpoint.value,
      witnesses: witnesses.value,
      quorum: quorum.value,
      allowUnprovable: allow.checked,
    }),
  };
}

function textarea(id: string, more: Record<string, string>): HTMLTextAreaElement {
  return element('textarea', {
    id,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-describedby': `${id}-hint`,
    ...more,
  });
}

function field(input: HTMLElement, label: string, hint: string): Node[] {
  return [
    element('label', { for: input.id }, label),
    element('p', { id: `${input.id}-hint`, class: 'hint' }, hint),
    input,
  ];
}
