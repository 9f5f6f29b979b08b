/**
 * The rule of who may use an app now, as a condition on a person `p` and an app `a` of the same organization: the
 * person is active, the app is for people and enabled, and there is a path: an assignment of the person (an approved
 * access request is one), an assignment of one of their groups, or the app is the organization's hub. `now` is the
 * parameter with the time: at the second of its expiry an assignment no longer counts. Sign-in, refresh and
 * entitlements follow this one rule; entitlement-pages.ts lists its paths.
 *
 * A person has at most a few hundred groups, an app any number of assignments: so the look-up begins at the groups.
 */
export function mayUse(now: string): string {
  return `(p.status = 'active' AND a.audience = 'people' AND NOT a.disabled AND (a.built_in
    OR EXISTS (SELECT 1 FROM assignment d WHERE d.org = p.org AND d.person_id = p.id AND d.client_id = a.client_id
      AND (d.expires_at IS NULL OR d.expires_at > ${now}))
    OR EXISTS (
      SELECT 1 FROM (SELECT group_id FROM group_member WHERE org = p.org AND person_id = p.id OFFSET 0) m,
        LATERAL (SELECT 1 FROM assignment WHERE org = p.org AND group_id = m.group_id AND client_id = a.client_id
          OFFSET 0) g)))`;
}
