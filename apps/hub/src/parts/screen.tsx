import { Group, Stack, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RoleOperation } from '@holdfast/contracts';
import { useMe } from '../api/me.ts';
import { Problem } from '../api/problem.ts';
import { ProblemNotice } from './problem-notice.tsx';

interface Props {
  title: string;
  /** What a person must hold to work with it; without it the screen says so. */
  needs?: RoleOperation;
  /** Above the title: the other screens of its area. */
  tabs?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A screen: its title in page and tab. Focus begins at the title, so that the keyboard goes on from there. */
export function Screen({ title, needs, tabs, actions, children }: Props) {
  const { t } = useTranslation();
  const { may } = useMe();
  const isAllowed = needs === undefined || may(needs);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – ${t('shell.title')}`;
    heading.current?.focus({ preventScroll: true });
  }, [title, t]);
  return (
    <Stack gap="lg">
      {tabs}
      <Group justify="space-between">
        <Title order={1} size="h2" ref={heading} tabIndex={-1} dir="auto">
          {title}
        </Title>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {isAllowed ? children : <ProblemNotice error={new Problem('forbidden', '')} />}
    </Stack>
  );
}
