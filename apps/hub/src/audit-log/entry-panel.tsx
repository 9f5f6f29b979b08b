import { Alert, Anchor, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../parts/code-block.tsx';
import { Facts } from '../parts/facts.tsx';
import { instant } from '../parts/format.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import classes from './audit-log.module.css';
import { entry, proofOf, verifierKeys, type AuditEvent } from './log-queries.ts';
import type { FilterName } from './log-search.ts';
import { verdictOf, type Verdict } from './proof.ts';

interface Props {
  id: string;
  /** The entry, when the list has it: it is not read again, since a read is an entry of its own. */
  known: AuditEvent | undefined;
  onClose: () => void;
  onFilter: (name: FilterName, value: string) => void;
}

/** One entry in full, and the proof that it is in the log. */
export function EntryPanel({ id, known, onClose, onFilter }: Props) {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: ['audit-entry', id],
    queryFn: () => entry(id),
    enabled: known === undefined,
    staleTime: Infinity,
  });
  const shown = known ?? data;
  return (
    <aside className={classes.panel} aria-label={shown ? t('auditLog.entry', { seq: String(shown.seq) }) : id}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {shown ? t('auditLog.entry', { seq: String(shown.seq) }) : '…'}
          </Title>
          <Button variant="default" size="compact-sm" onClick={onClose}>
            {t('auditLog.close')}
          </Button>
        </Group>
        {error && <ProblemNotice error={error} />}
        {shown && <Entry shown={shown} onFilter={onFilter} />}
      </Stack>
    </aside>
  );
}

function Entry({ shown, onFilter }: Pick<Props, 'onFilter'> & { shown: AuditEvent }) {
  const { t } = useTranslation();
  const verify = useMutation({
    mutationFn: async () => {
      const [proof, { keys }] = await Promise.all([proofOf(shown.id), verifierKeys()]);
      return verdictOf(shown, proof, keys);
    },
  });
  return (
    <>
      <Facts
        facts={{
          [t('auditLog.action')]: shown.action,
          [t('auditLog.time')]: instant(shown.occurredAt),
          [t('auditLog.target')]: shown.targets.map(({ type, id }) => `${type} ${id}`).join(', '),
        }}
      />
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => onFilter('action', shown.action)}>
          {t('auditLog.onlyAction')}
        </Button>
        {shown.actor.id !== undefined && (
          <Button size="compact-sm" variant="default" onClick={() => onFilter('actor', shown.actor.id)}>
            {t('auditLog.onlyActor')}
          </Button>
        )}
      </Group>
      <Text size="sm">{t('auditLog.verifyBody')}</Text>
      <Button style={{ alignSelf: 'flex-start' }} loading={verify.isPending} onClick={() => verify.mutate()}>
        {t('auditLog.verify')}
      </Button>
      {verify.error && <ProblemNotice error={verify.error} />}
      {verify.data && <VerdictNotice verdict={verify.data} />}
      <details>
        <summary>{t('auditLog.whole')}</summary>
        <CodeBlock text={JSON.stringify(shown, null, 2)} label={t('auditLog.whole')} />
      </details>
    </>
  );
}

function VerdictNotice({ verdict }: { verdict: Verdict }) {
  const { t } = useTranslation();
  if (verdict.kind === 'wrong')
    return (
      <Alert color="red" title={t('auditLog.wrong')} role="alert">
        {t('auditLog.wrongBody')}
      </Alert>
    );
  if (verdict.kind === 'undecided')
    return (
      <Alert color="yellow" title={t('auditLog.undecided')} role="alert">
        {verdict.message}
      </Alert>
    );
  const { seq, size, origin } = verdict.entry;
  return (
    <Alert color="green" title={t('auditLog.verified')} role="status">
      <List size="sm" type="ordered">
        <List.Item>{t('auditLog.leaf', { seq: String(seq), size: String(size) })}</List.Item>
        <List.Item>{t('auditLog.path', { hashes: String(verdict.hashes) })}</List.Item>
        <List.Item>{t('auditLog.checkpoint', { origin })}</List.Item>
      </List>
      <Text size="sm" mt="xs">
        {t('auditLog.trust')}{' '}
        <Anchor href="/verify" underline="always">
          {t('auditLog.trustLink')}
        </Anchor>
      </Text>
    </Alert>
  );
}
