import type { enPeople } from './en-people.ts';
import type { TextsLike } from './en.ts';

export const dePeople: TextsLike<typeof enPeople> = {
  people: {
    title: 'Personen',
    invite: 'Einladen',
    name: 'Name',
    email: 'E-Mail',
    roles: 'Rollen',
    state: 'Zustand',
    lastSignIn: 'Letzte Anmeldung',
    never: 'Noch nicht',
    active: 'Aktiv',
    invited: 'Eingeladen',
    deactivated: 'Deaktiviert',
    find: 'Nach dem Anfang von Name oder E-Mail suchen',
    none: 'Niemand passt',
  },
  invite: {
    title: 'Eine Person einladen',
    body: 'Sie erhalten einen Link für einmal. Geben Sie ihn selbst weiter: Der Hub versendet keine E-Mail.',
    rolesBody: 'Was die Person darf, sobald sie annimmt. Sie können es jederzeit ändern.',
    create: 'Link erstellen',
    link: 'Einladungslink',
    linkOnce: 'Kopieren Sie den Einladungslink jetzt',
    linkOnceBody:
      'Er wird nur dieses eine Mal angezeigt und gilt einmal. Wer ihn hat, kann annehmen: Senden Sie ihn nur an ' +
      '{{name}}.',
  },
  person: {
    save: 'Rollen speichern',
    saved: 'Gespeichert',
    newLink: 'Neuer Link',
    newLinkTitle: 'Einen neuen Link für {{name}} erstellen?',
    newLinkBody:
      'Ein offener Link gilt nicht mehr. Hat die Person schon einen Passkey, ersetzt der neue Link alle ihre ' +
      'Passkeys, und sie wird überall abgemeldet.',
    deactivate: 'Deaktivieren',
    reactivate: 'Reaktivieren',
    deactivateTitle: '{{name}} deaktivieren?',
    deactivateBody:
      'Die Person wird innerhalb einer Sekunde überall abgemeldet und kann sich nicht anmelden. Sie können sie ' +
      'reaktivieren.',
    remove: 'Entfernen',
    removeTitle: '{{name}} entfernen?',
    removeBody:
      'Das lässt sich nicht rückgängig machen: Rollen, Gruppen und Passkeys enden, und die personenbezogenen Daten ' +
      'werden gelöscht.',
    removeType: 'Geben Sie zur Bestätigung den Namen der Person ein',
    invitedAt: 'Eingeladen',
    log: 'Was die Person getan hat, im Audit-Log',
    you: 'Das sind Sie.',
  },
  role: {
    owner: 'Inhaber',
    admin: 'Administrator',
    auditor: 'Prüfer',
    approver: 'Genehmiger',
    support: 'Support',
    ownerBody: 'Alles, auch wer sonst Inhaber ist',
    adminBody: 'Personen, Gruppen, Apps, Operationen und Kundschaft; gibt jede Rolle außer Inhaber',
    auditorBody: 'Liest alles, ändert nichts',
    approverBody: 'Entscheidet Zugriffsanfragen',
    supportBody: 'Hilft der Kundschaft, und sieht nach, wer was erreicht',
  },
};
