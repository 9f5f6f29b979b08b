import { Anchor, Card, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { Facts } from '../parts/facts.tsx';
import { ScreenLink } from '../parts/link.tsx';
import { Screen } from '../parts/screen.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import classes from './overview.module.css';

/** Who is signed in, and where they can go from here. */
export function OverviewScreen() {
  const { t } = useTranslation();
  const { me, may } = useMe();
  const next = [
    ...(may('apps:manage') ? [{ to: '/apps', title: t('shell.apps'), text: t('overview.apps') } as const] : []),
    ...(may('users:read') ? [{ to: '/people', title: t('shell.people'), text: t('overview.people') } as const] : []),
    ...(may('audit:read')
      ? [{ to: '/audit-log', title: t('shell.auditLog'), text: t('overview.auditLog') } as const]
      : []),
    ...(may('organization:manage')
      ? [{ to: '/organization', title: t('shell.organization'), text: t('overview.organization') } as const]
      : []),
  ];
  return (
    <Screen title={t('overview.title')}>
      <Facts
        facts={{
          [t('overview.signedInAs')]: me.name,
          [t('overview.email')]: me.email,
          [t('overview.roles')]: me.roles.map((role) => t(`role.${role}`)).join(', ') || t('overview.noRoles'),
        }}
      />
      <Title order={2} size="h4">
        {t('overview.next')}
      </Title>
      {next.length === 0 && <Text>{t('overview.nothing')}</Text>}
      <div className={classes.cards}>
        {next.map(({ to, title, text }) => (
          <Card key={to} withBorder>
            <ScreenLink to={to} fw={600}>
              {title}
            </ScreenLink>
            <Text size="sm">{text}</Text>
          </Card>
        ))}
      </div>
      {may('audit:export') && <Anchor href="/verify">{t('overview.verify')}</Anchor>}
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/apps` }} operation="apps:manage" />
    </Screen>
  );
}
