import { Alert, Button, Group, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Problem } from '../api/problem.ts';

interface Props<Values extends Record<string, string>> {
  /** What each value is called. */
  labels: Record<keyof Values, string>;
  /** As it was when this form began, as it is stored now, and as it was typed. */
  before: Values;
  stored: Values;
  mine: Values;
  onTakeStored: (values: Values) => void;
  onKeepMine: () => void;
}

/** Whether somebody has changed the object since it was read: nothing was saved. */
export const isConflict = (error: unknown): boolean => error instanceof Problem && error.code === 'precondition_failed';

/** What somebody else has changed meanwhile, beside what was typed here. Nothing is overwritten without a decision. */
export function ConflictNotice<Values extends Record<string, string>>(props: Props<Values>) {
  const { labels, before, stored, mine, onTakeStored, onKeepMine } = props;
  const { t } = useTranslation();
  const changed = Object.keys(stored).filter((member) => stored[member] !== before[member]);
  return (
    <Alert color="yellow" title={t('conflict.title')} role="alert">
      <Text size="sm">{t('conflict.body')}</Text>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('conflict.field')}</Table.Th>
            <Table.Th>{t('conflict.stored')}</Table.Th>
            <Table.Th>{t('conflict.mine')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changed.map((member) => (
            <Table.Tr key={member}>
              <Table.Th scope="row">{labels[member]}</Table.Th>
              <Table.Td dir="auto">{stored[member] || '–'}</Table.Td>
              <Table.Td dir="auto">{mine[member] || '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group mt="sm">
        <Button size="compact-sm" variant="default" onClick={() => onTakeStored(stored)}>
          {t('conflict.takeStored')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onKeepMine}>
          {t('conflict.keepMine')}
        </Button>
      </Group>
    </Alert>
  );
}
