import type { ShownOrganization } from '@holdfast/contracts';
import { safeAddress } from '../browser/address.ts';
import { texts } from '../texts.ts';
import type { Link } from './screen.ts';

/** Where the organization helps, and where its customers begin, as far as it says so. */
export function organizationLinks(organization: ShownOrganization | undefined): { help: Link[]; start: Link[] } {
  const { name = '', helpUrl, startUrl } = organization ?? {};
  const linkTo = (url: string | undefined, label: string): Link[] => {
    const href = safeAddress(url, 'https://none.invalid/');
    return url !== undefined && href !== undefined ? [{ label, href }] : [];
  };
  return { help: linkTo(helpUrl, texts.help(name)), start: linkTo(startUrl, texts.continueTo(name)) };
}
