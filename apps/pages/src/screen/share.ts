import { element } from './element.ts';
import type { Screen } from './screen.ts';

/** The address of `qr-code.ts`, which the build sets. */
declare const QR_CODE_SCRIPT: string;

/** An address to open elsewhere: a button that copies it, the text itself, and a QR code. */
export function shareOf({ share }: Screen<string>): Node[] {
  if (!share) return [];
  const { address, copy, copied, scan } = share;
  const text = element('input', { class: 'address', type: 'text', readonly: '', value: address, 'aria-label': copy });
  text.addEventListener('focus', () => text.select());
  const button = element('button', { class: 'control primary', type: 'button' }, copy);
  const done = element('p', { role: 'status' });
  button.addEventListener('click', () => {
    // Without access to the clipboard, the customer copies the selected text.
    navigator.clipboard.writeText(address).then(
      () => (done.textContent = copied),
      () => text.focus(),
    );
  });
  return [button, done, text, qrCodeOf(address, scan)];
}

/** The code appears once its script has loaded, which only this part of a page needs. Without it the link is enough. */
function qrCodeOf(address: string, description: string): Node {
  const figure = element('figure', { class: 'qr-code' });
  import(QR_CODE_SCRIPT).then(
    (script: typeof import('./qr-code.ts')) =>
      figure.append(element('figcaption', {}, description), script.qrCode(address, description)),
    () => undefined,
  );
  return figure;
}
