import { encode } from 'uqr';
import classes from './qr-code.module.css';

/** The quiet zone of a QR code, in modules (ISO/IEC 18004 §6.3.8). */
const border = 4;

/** A QR code with error correction of level M. @param description for screen readers */
export function QrCode({ text, description }: { text: string; description: string }) {
  const { size, data } = encode(text, { ecc: 'M', border });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={description} className={classes.code}>
      <path d={path} />
    </svg>
  );
}
