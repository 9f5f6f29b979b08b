import { readLogo, type Logo } from './logo.js';

interface GivenBranding {
  accentColor?: string | null | undefined;
  /** A PNG image in base64. */
  logo?: string | null | undefined;
}
type ReadBranding<Given> = Omit<Given, 'logo' | 'accentColor'> & {
  accentColor?: string | null;
  logo?: Logo | null;
};

/**
 * Reads the colour and the logo that a request gives, before a transaction begins. Null removes, and stays null.
 * @throws invalid_request for a logo that is no PNG image
 */
export function givenBranding<Given extends GivenBranding>({
  logo,
  accentColor,
  ...given
}: Given): ReadBranding<Given> {
  return {
    ...given,
    ...(accentColor !== undefined && { accentColor: accentColor?.toLowerCase() ?? null }),
    ...(logo !== undefined && { logo: logo === null ? null : readLogo(logo) }),
  };
}
