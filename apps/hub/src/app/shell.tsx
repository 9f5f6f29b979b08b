import { Button, Loader } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { operationsOf } from '@holdfast/contracts';
import { meQuery } from '../api/me.ts';
import { hubPath, shortId } from '../api/organization.ts';
import { Problem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import classes from './shell.module.css';
import { SignedOut } from './signed-out.tsx';

/** The screens, and the operation without which one is absent. */
const screens = [
  { to: '/', text: 'shell.overview', needs: undefined },
  { to: '/apps', text: 'shell.apps', needs: 'apps:manage' },
  { to: '/people', text: 'shell.people', needs: 'users:read' },
  { to: '/audit-log', text: 'shell.auditLog', needs: 'audit:read' },
  { to: '/organization', text: 'shell.organization', needs: 'organization:manage' },
] as const;

/** Around every screen: who is signed in, and where they can go. */
export function Shell() {
  const { t } = useTranslation();
  const { data: me, error, refetch } = useQuery(meQuery);
  const signOut = useMutation({
    mutationFn: () => fetch(`${hubPath}/sign-out`, { method: 'POST' }),
    onSettled: () => {
      queryClient.clear();
      // Drafts of forms.
      sessionStorage.clear();
      location.assign(hubPath);
    },
  });
  if (error instanceof Problem && error.isSignedOut) return <SignedOut />;
  if (error && !me) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (!me) return <Loader m="xl" aria-label={t('shell.loading')} />;
  const held = operationsOf(me.roles);
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        {t('shell.skip')}
      </a>
      <div className={classes.header} role="region" aria-label={t('shell.title')}>
        <strong dir="auto">{shortId}</strong>
        <nav aria-label={t('shell.screens')}>
          {screens
            .filter(({ needs }) => needs === undefined || held.includes(needs))
            .map(({ to, text }) => (
              <Link key={to} to={to} className={classes.link} activeOptions={{ exact: to === '/' }}>
                {t(text)}
              </Link>
            ))}
        </nav>
        <div className={classes.person}>
          <span dir="auto">{me.name}</span>
          <Button variant="default" size="compact-sm" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            {t('shell.signOut')}
          </Button>
        </div>
      </div>
      <main id="content" className={classes.content}>
        <Suspense fallback={<Loader aria-label={t('shell.loading')} />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
}
