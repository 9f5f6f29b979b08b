import type { ShownOrganization } from '@holdfast/contracts';
import { accentStyle } from '@holdfast/platform/accent-style';
import { element } from './element.ts';

let shown: Pick<ShownOrganization, 'accentColor' | 'logoPath'> = {};
let style: CSSStyleSheet | undefined;

/** How the pages of this organization look, for every screen from now on. */
export function showBranding({ accentColor, logoPath }: ShownOrganization): void {
  if (accentColor !== shown.accentColor) {
    style ??= new CSSStyleSheet();
    style.replaceSync(accentColor === undefined ? '' : accentStyle(accentColor));
    document.adoptedStyleSheets = [style];
  }
  shown = { ...(accentColor !== undefined && { accentColor }), ...(logoPath !== undefined && { logoPath }) };
}

/** The logo, or else the first letter of the name: also when the logo does not load. */
export function pictureOf(organization: string): HTMLElement {
  const initial = element(
    'span',
    { class: 'initial', 'aria-hidden': 'true' },
    [...organization.trim()][0]?.toUpperCase() ?? '',
  );
  if (shown.logoPath === undefined) return initial;
  const logo = element('img', { class: 'logo', src: shown.logoPath, alt: '' });
  logo.addEventListener('error', () => logo.replaceWith(initial));
  return logo;
}
