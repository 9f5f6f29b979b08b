import { Button, Loader } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { operationsOf } from '@holdfast/contracts';
import { meQuery } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { Problem } from '../api/problem.ts';
import { signOut } from '../api/sign-out.ts';
import { areasOf, type ScreenEntry } from '../parts/areas.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { brandingQuery, showAccent } from './branding.ts';
import classes from './shell.module.css';
import { SignedOut } from './signed-out.tsx';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const Keys = lazy(async () => ({ default: (await import('./keys.tsx')).Keys }));

/** Around every screen: who is signed in, and where they can go. */
export function Shell() {
  const { t } = useTranslation();
  const { data: me, error, refetch } = useQuery(meQuery);
  const { data: shown } = useQuery(brandingQuery);
  useEffect(() => showAccent(shown?.accentColor), [shown?.accentColor]);
  const [open, setOpen] = useState<'palette' | 'keys'>();
  const close = () => setOpen(undefined);
  useHotkeys([
    ['mod+K', () => setOpen('palette')],
    ['shift+?', () => setOpen('keys')],
    ['/', () => document.querySelector<HTMLElement>('main input, main select')?.focus()],
  ]);
  const leave = useMutation({ mutationFn: signOut });
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
        <strong dir="auto">{shown?.name ?? shortId}</strong>
        <nav aria-label={t('shell.screens')}>
          {areasOf(held).map(({ text, screens }) => (
            <AreaLink key={text} text={text} screens={screens} />
          ))}
        </nav>
        <div className={classes.person}>
          <span dir="auto">{me.name}</span>
          <Button variant="default" size="compact-sm" onClick={() => setOpen('palette')}>
            {t('shell.goTo')} <kbd className={classes.key}>Ctrl K</kbd>
          </Button>
          <Button variant="default" size="compact-sm" loading={leave.isPending} onClick={() => leave.mutate()}>
            {t('shell.signOut')}
          </Button>
        </div>
      </div>
      <main id="content" className={classes.content}>
        <Suspense fallback={<Loader aria-label={t('shell.loading')} />}>
          <Outlet />
        </Suspense>
      </main>
      <Suspense>
        {open === 'palette' && <Palette held={held} onClose={close} />}
        {open === 'keys' && <Keys onClose={close} />}
      </Suspense>
    </div>
  );
}

/** So much of the area before the current one stays in sight. */
const rowStartPx = 48;

/** Leads to the first screen of an area, and is the current one on all of its screens. */
function AreaLink({ text, screens }: ReturnType<typeof areasOf>[number]) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const isIn = ({ to }: ScreenEntry) => (to === '/' ? pathname === '/' : `${pathname}/`.startsWith(`${to}/`));
  const isCurrent = screens.some(isIn);
  const link = useRef<HTMLAnchorElement>(null);
  // On a phone the areas are a row that scrolls sideways.
  useEffect(() => {
    if (isCurrent) link.current?.parentElement?.scrollTo({ left: link.current.offsetLeft - rowStartPx });
  }, [isCurrent]);
  return (
    <Link
      ref={link}
      to={screens[0]!.to}
      className={classes.link}
      activeOptions={{ exact: true }}
      data-current={isCurrent || undefined}
    >
      {t(text)}
    </Link>
  );
}
