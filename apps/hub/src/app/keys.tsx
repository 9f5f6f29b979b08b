import { Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../parts/dialog.tsx';

const keys = [
  ['Ctrl K', 'goTo'],
  ['/', 'filter'],
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['Esc', 'close'],
  ['?', 'keys'],
] as const;

/** What the keyboard does. */
export function Keys({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog opened onClose={onClose} title={t('keys.title')}>
      <Table>
        <Table.Tbody>
          {keys.map(([key, text]) => (
            <Table.Tr key={key}>
              <Table.Th scope="row">
                <kbd>{key}</kbd>
              </Table.Th>
              <Table.Td>{t(`keys.${text}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
