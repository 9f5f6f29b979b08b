import { Anchor, Card, Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { areasOf } from '../parts/areas.ts';
import { Facts } from '../parts/facts.tsx';
import { ScreenLink } from '../parts/link.tsx';
import { Screen } from '../parts/screen.tsx';
import { Section } from '../parts/section.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import classes from './overview.module.css';

/** With the library that draws them, which no other screen needs. */
const Numbers = lazy(async () => ({ default: (await import('../numbers/numbers.tsx')).Numbers }));

const described = {
  '/customers': 'overview.customers',
  '/apps': 'overview.apps',
  '/people': 'overview.people',
  '/webhooks': 'overview.webhooks',
  '/audit-log': 'overview.auditLog',
  '/organization': 'overview.organization',
  '/account': 'overview.account',
} as const;

/** Who is signed in, what needs attention, what customers did, and where to go from here. */
export function OverviewScreen() {
  const { t } = useTranslation();
  const { me, operations, may } = useMe();
  const next = areasOf(operations).flatMap(({ screens: [first] }) =>
    first && first.to in described ? [{ ...first, body: described[first.to as keyof typeof described] }] : [],
  );
  return (
    <Screen title={t('overview.title')}>
      <Attention />
      <FirstSteps />
      <Facts
        facts={{
          [t('overview.signedInAs')]: me.name,
          [t('overview.email')]: me.email,
          [t('overview.roles')]: me.roles.map((role) => t(`role.${role}`)).join(', ') || t('overview.noRoles'),
        }}
      />
      {may('analytics:read') && (
        <Suspense fallback={<Skeleton height={320} />}>
          <Numbers />
        </Suspense>
      )}
      <Section title={t('overview.next')}>
        <div className={classes.cards}>
          {next.map(({ to, text, body }) => (
            <Card key={to} withBorder>
              <ScreenLink to={to} fw={600}>
                {t(text)}
              </ScreenLink>
              <Text size="sm">{t(body)}</Text>
            </Card>
          ))}
        </div>
      </Section>
      {may('audit:export') && <Anchor href="/verify">{t('overview.verify')}</Anchor>}
      {may('analytics:read') && (
        <ViewAsApi
          call={{ method: 'GET', path: `/o/${shortId}/api/admin/analytics/sign-ins?interval=day` }}
          operation="analytics:read"
        />
      )}
    </Screen>
  );
}
