import { encode } from 'uqr';

/** The quiet zone of a QR code, in modules (ISO/IEC 18004 §6.3.8). */
const border = 4;
const svg = 'http://www.w3.org/2000/svg';

/** A QR code as an image, with error correction of level M. */
export function qrCode(text: string, description: string): SVGElement {
  const { size, data } = encode(text, { ecc: 'M', border });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  const image = document.createElementNS(svg, 'svg');
  image.setAttribute('viewBox', `0 0 ${size} ${size}`);
  image.setAttribute('role', 'img');
  image.setAttribute('aria-label', description);
  const modules = document.createElementNS(svg, 'path');
  modules.setAttribute('d', path);
  image.append(modules);
  return image;
}
