import type { organizationProfile, ReplyOf } from '@holdfast/contracts';

export type OrganizationOfErrorPage = ReplyOf<typeof organizationProfile>;

/** The organizations that pages about errors name. */
export abstract class OrganizationsOfErrorPages {
  /**
   * The organization, which may be as it was some time ago; undefined when it is unknown.
   * @param mayRequest whether directory may be queried
   */
  abstract forErrorPage(shortId: string, mayRequest: boolean): Promise<OrganizationOfErrorPage | undefined>;
}
