import { account } from './de/account.ts';
import type { Texts } from './en.ts';

const someOrg = 'der Organisation';

const link = {
  create: 'Meinen Passkey erstellen',
  working: 'Bestätigen Sie auf Ihrem Gerät',
  workingBody: 'Es fragt nach Fingerabdruck, Gesicht oder PIN. Diese Seite geht von selbst weiter.',
  saving: 'Fast fertig …',
  savingBody: 'Ihr Passkey ist auf Ihrem Gerät. Wir speichern ihn hier.',
  inApp: 'Öffnen Sie diesen Link in Ihrem Browser',
  inAppBody:
    'Er wurde innerhalb einer anderen App geöffnet, in der kein Passkey erstellt werden kann. Kopieren Sie den Link ' +
    'in die Adresszeile Ihres Browsers, oder scannen Sie den Code mit einem anderen Gerät.',
  unsupportedBody:
    'Öffnen Sie diesen Link in einem aktuellen Chrome, Edge, Firefox oder Safari: Kopieren Sie ihn, oder scannen Sie ' +
    'den Code mit Ihrem Telefon.',
  notUsed: 'Der Link wurde noch nicht benutzt: Dort funktioniert er.',
  adding: 'Fügen Sie einen Passkey hinzu',
  addingBody: (org: string) =>
    `Damit melden Sie sich auch auf diesem Gerät bei ${org} an. Ihre bisherigen Passkeys gelten weiter.`,
  added: 'Ihr Passkey ist hinzugefügt',
  addedBody: (org: string) => `Sie können sich jetzt damit bei ${org} anmelden, und weiter mit Ihren bisherigen.`,
  confirm: 'Bestätigen Sie ihn jetzt auf Ihrem anderen Gerät',
  confirmBody:
    'Die Seite, auf der Sie begonnen haben, zeigt auch diesen Code. Vergleichen Sie beide, und bestätigen Sie ihn ' +
    'dort. Dann können Sie sich auf diesem Gerät anmelden.',
  code: 'Code',
  doneClose: 'Sie können diese Seite schließen.',
  goOn: 'Weiter',
  back: (org: string) => `Zurück zu ${org}`,
  expiredBody: (org: string) => `Links gelten nur eine Zeit lang. Lassen Sie sich von ${org} einen neuen schicken.`,
  withdrawnBody: (org: string) =>
    `Er wurde von ${org} zurückgenommen, oder es gibt einen neueren. Suchen Sie nach einer späteren Nachricht, oder ` +
    'bitten Sie um einen neuen Link.',
  unknown: 'Dieser Link ist nicht gültig',
  unknownBody:
    'Er ist vielleicht beschädigt oder unvollständig. Öffnen Sie ihn noch einmal ganz aus der Nachricht. Wenn das ' +
    'nicht hilft, bitten Sie dort um einen neuen, wo sie herkommt.',
  missing: 'Öffnen Sie den Link aus Ihrer Nachricht',
  missingBody:
    'Diese Seite braucht den ganzen Link, den Sie bekommen haben. Öffnen Sie ihn noch einmal von dort; einer ' +
    'kopierten Adresse fehlt vielleicht ihr letzter Teil.',
  existing: 'Ihr Passkey ist schon auf diesem Gerät',
  existingBody: (org: string) =>
    `Hier ist nichts mehr zu tun: Melden Sie sich damit bei ${org} an. ` +
    'Für einen Passkey anderswo wählen Sie ein anderes Gerät, wenn Ihres danach fragt.',
  existingAgain: 'Anderes Gerät verwenden',
};

export const texts: Texts = {
  locale: 'de-DE',
  direction: 'ltr',
  loading: 'Einen Moment …',
  late: 'Es tut sich nichts? Laden Sie diese Seite neu. Sie braucht JavaScript und einen Browser der letzten Jahre.',
  noScriptTitle: 'JavaScript ist ausgeschaltet',
  noScript:
    'Diese Seite braucht JavaScript. Schalten Sie es für diese Seite ein, oder öffnen Sie den Link in einem anderen ' +
    'Browser.',
  preparing: 'Wir fragen Ihr Gerät …',
  preparingBody: 'Bei langsamer Verbindung dauert das einen Moment.',
  stop: 'Abbrechen',
  tryAgain: 'Noch einmal versuchen',
  share: {
    copy: 'Link kopieren',
    copied: 'Kopiert. Fügen Sie ihn in die Adresszeile Ihres Browsers ein.',
    scan: 'Scannen Sie diesen Code mit der Kamera eines anderen Geräts.',
  },
  accountType: 'Art des Kontos',
  until: 'Dieser Link gilt bis',
  help: (org: string) => `Hilfe von ${org}`,
  continueTo: (org: string) => `Weiter zu ${org}`,
  noPasskeyHere: 'Kein Passkey auf diesem Gerät?',
  noPasskeyHereBody: (org: string) =>
    'Wenn er auf Ihrem Telefon ist, gehen Sie hier weiter und wählen Sie ein anderes Gerät, wenn Ihres danach fragt: ' +
    'Sie scannen dann einen Code mit dem Telefon. Wenn Sie Ihr Gerät oder Ihren Passkey verloren haben, lassen Sie ' +
    `sich von ${org} einen neuen Link schicken.`,
  whatIsPasskey: 'Was ist ein Passkey?',
  passkey:
    'Ein Passkey ersetzt das Passwort. Er bleibt auf Ihrem Gerät oder in Ihrem Passwort-Manager, und Sie entsperren ' +
    'ihn wie Ihren Bildschirm: mit Fingerabdruck, Gesicht oder PIN. Sie müssen sich nichts merken, und bei ' +
    'uns liegt nichts, was jemand stehlen könnte.',

  claim: {
    ...link,
    title: 'Passkey',
    ready: 'Erstellen Sie Ihren Passkey',
    readyBody: (org: string) =>
      `Er meldet Sie ohne Passwort bei ${org} an: Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN.`,
    recovery: 'Erstellen Sie einen neuen Passkey',
    recoveryBody: (org: string) =>
      `Ihr Konto bei ${org} bleibt, wie es ist. Der neue Passkey ersetzt den bisherigen, der dann nicht mehr ` +
      'funktioniert.',
    done: 'Ihr Passkey ist fertig',
    doneBody: (org: string) =>
      `Ab jetzt melden Sie sich damit bei ${org} an. Diesen Link brauchen Sie nicht noch einmal.`,
    used: 'Dieser Link wurde schon benutzt',
    usedMine: 'Damit wurde ein Passkey erstellt. Wenn Sie das waren, ist alles gut: Melden Sie sich mit ihm an.',
    usedTheirs: (org: string) =>
      `Wenn nicht, melden Sie sich sofort bei ${org}. Dort kann man jenen Passkey sperren und Ihnen einen neuen Link ` +
      'schicken.',
    expired: 'Dieser Link ist abgelaufen',
    withdrawn: 'Dieser Link gilt nicht mehr',
  },

  invitation: {
    ...link,
    title: 'Einladung',
    ready: 'Nehmen Sie Ihre Einladung an',
    readyBody: (org: string) =>
      `Sie sind in das Team von ${org} eingeladen. Um anzunehmen, erstellen Sie einen Passkey: Damit melden Sie sich ` +
      'ab jetzt ohne Passwort an, und Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN.',
    recovery: 'Erstellen Sie einen neuen Passkey',
    recoveryBody: (org: string) =>
      `Ihr Konto bei ${org} bleibt, wie es ist. Der neue Passkey ersetzt alle bisherigen, die dann nicht mehr ` +
      'funktionieren, und Sie werden überall abgemeldet.',
    done: 'Sie gehören zum Team',
    doneBody: (org: string) =>
      `Ab jetzt melden Sie sich mit Ihrem Passkey bei ${org} und den Apps dort an. Diesen Link brauchen Sie nicht ` +
      'noch einmal.',
    used: 'Diese Einladung wurde angenommen',
    usedMine: 'Damit wurde ein Passkey erstellt. Wenn Sie das waren, ist alles gut: Melden Sie sich mit ihm an.',
    usedTheirs: (org: string) =>
      `Wenn nicht, melden Sie sich sofort bei ${org}. Dort kann man das Konto sperren und Ihnen einen neuen Link ` +
      'schicken.',
    expired: 'Diese Einladung ist abgelaufen',
    withdrawn: 'Diese Einladung gilt nicht mehr',
  },

  passkeyLink: {
    ...link,
    title: 'Passkey hinzufügen',
    ready: link.adding,
    readyBody: link.addingBody,
    recovery: link.adding,
    recoveryBody: link.addingBody,
    done: link.added,
    doneBody: link.addedBody,
    used: 'Mit diesem Link wurde ein Passkey erstellt',
    usedMine: 'Wenn Sie das waren: Bestätigen Sie ihn auf dem Gerät, auf dem Sie begonnen haben.',
    usedTheirs: () => 'Wenn nicht, bestätigen Sie ihn dort nicht, und erstellen Sie einen neuen Link.',
    expired: 'Dieser Link ist abgelaufen',
    expiredBody: () => 'Er gilt zehn Minuten. Erstellen Sie einen neuen auf der Seite, auf der Sie begonnen haben.',
    withdrawn: 'Dieser Link gilt nicht mehr',
    withdrawnBody: () => 'Erstellen Sie einen neuen auf der Seite, auf der Sie begonnen haben.',
  },

  signIn: {
    title: 'Anmelden',
    ready: (app: string) => `Bei ${app} anmelden`,
    readyBody: (org: string) => `Nehmen Sie den Passkey, den Sie für Ihr Konto bei ${org} erstellt haben.`,
    readyStaffBody: (org: string) =>
      `Für Menschen, die bei ${org} arbeiten: Nehmen Sie den Passkey, den Sie für Ihr Arbeitskonto erstellt haben.`,
    readyDevice: 'Damit melden Sie das Gerät an, das den Code zeigt, und nicht dieses hier.',
    authenticate: 'Mit Passkey anmelden',
    authenticateEarlier: 'Früheren Passkey verwenden',
    back: (app: string) => `Zurück zu ${app}`,
    working: 'Bestätigen Sie auf Ihrem Gerät',
    workingBody: 'Es fragt nach Fingerabdruck, Gesicht oder PIN.',
    verifying: 'Sie werden angemeldet …',
    leaveDevice: 'Gerät nicht anmelden',
    leavingDevice: 'Ihr Gerät wird angemeldet …',
    leaving: (app: string) => `Weiter zu ${app} …`,
    unknown: 'Dieser Passkey ist hier nicht bekannt',
    unknownBody: (org: string) =>
      `Bei ${org} gibt es dafür kein Konto oder keines mehr. Wählen Sie einen anderen Passkey, oder lassen Sie sich ` +
      'dort einen neuen Link schicken.',
    unknownStaffBody: (org: string) =>
      `Kein Arbeitskonto bei ${org} hat ihn. Ein Passkey, den Sie als Kundin oder Kunde erstellt haben, funktioniert ` +
      'hier nicht. Wählen Sie einen anderen, oder bitten Sie die Verwaltung dort um einen neuen Link.',
    deactivated: 'Ihr Konto ist deaktiviert',
    deactivatedBody: (org: string) =>
      `Ihr Passkey stimmt, und Ihr Arbeitskonto bei ${org} ist zurzeit abgeschaltet. ` +
      'Wenden Sie sich an die Verwaltung dort, wenn Sie es brauchen.',
    notAssigned: (app: string) => `Sie haben keinen Zugang zu ${app}`,
    notAssignedBody: (app: string, org: string) =>
      `Ihr Passkey stimmt, und ${app} gehört nicht zu den Apps Ihres Arbeitskontos. ` +
      `Bitten Sie die Verwaltung bei ${org} um Zugang.`,
    copied: 'Dieser Passkey muss ersetzt werden',
    copiedBody:
      'Ihr Gerät zählt, wie oft er benutzt wurde, und seine Zahl passt nicht zu unserer. Vielleicht hat ihn jemand ' +
      'kopiert, deshalb meldet er Sie nicht mehr an.',
    copiedAdvice: (org: string) =>
      `Wählen Sie einen anderen Passkey, oder lassen Sie sich von ${org} einen neuen Link schicken.`,
    copiedStaffAdvice: (org: string) =>
      `Wählen Sie einen anderen Passkey, oder bitten Sie die Verwaltung bei ${org} um einen neuen Link.`,
    other: 'Dieser Passkey gehört woanders hin',
    otherBody: (org: string) =>
      'Er ist für eine andere Organisation und funktioniert dort weiter. Wählen Sie den, den Sie für Ihr Konto bei ' +
      `${org} erstellt haben.`,
    chooseOther: 'Anderen Passkey wählen',
    expired: 'Bitte beginnen Sie noch einmal',
    expiredBody: (app: string) =>
      'Diese Anmeldung ist beendet: Sie hat zu lange gedauert, oder sie war schon abgeschlossen. Mit Ihrem Passkey ' +
      `ist alles in Ordnung. Gehen Sie zurück zu ${app}, und melden Sie sich von dort an.`,
    expiredDeviceBody:
      'Diese Anmeldung ist beendet: Sie hat zu lange gedauert, oder sie war schon abgeschlossen. Mit Ihrem Passkey ' +
      'ist alles in Ordnung. Lassen Sie Ihr Gerät einen neuen Code zeigen.',
  },

  account,

  verify: {
    title: 'Ein Audit-Log prüfen',
    heading: 'Ein Audit-Log prüfen',
    body: [
      'Wählen Sie einen Export eines Audit-Logs, der mit Beweis erstellt wurde, oder den Beweis eines Eintrags. ' +
        'Diese Seite sagt, ob er vollständig und unverändert ist.',
      'Die Datei bleibt in Ihrem Browser: Nichts davon wird irgendwohin gesendet. Der Browser erzwingt das: Diese ' +
        'Seite darf sich mit keinem Server verbinden.',
    ],
    trust:
      'Diese Seite kommt von dem Server in der Adresszeile. Wenn gerade dieser Server das Log verändert haben ' +
      'könnte, prüfen Sie mit der Kommandozeile von Holdfast, mit dieser Seite einer anderen Installation oder mit ' +
      'einem eigenen Programm: Das Format ist dokumentiert.',
    file: 'Datei',
    fileHint: 'Ein Export mit Beweis (NDJSON), oder der Beweis eines Eintrags.',
    keys: 'Prüfschlüssel des Logs',
    keysHint:
      'name+hash+key, den Sie einmal vom Eigentümer des Logs auf einem Weg bekommen haben, dem Sie vertrauen. Nach ' +
      'einem Wechsel der Schlüssel sind es zwei: einer pro Zeile.',
    further: 'Checkpoint und Zeugen',
    keptCheckpoint: 'Checkpoint, den Sie aufbewahrt haben',
    keptCheckpointHint: 'Zeigt, dass das Log noch fortsetzt, was es damals war. Fügen Sie alle Zeilen ein.',
    witnesses: 'Prüfschlüssel von Zeugen',
    witnessesHint: 'Einer pro Zeile. Sie müssen den Checkpoint oben mitunterschrieben haben.',
    quorum: 'Wie viele Zeugen ihn mitunterschrieben haben müssen',
    quorumHint: 'Alle, wenn Sie dieses Feld leer lassen.',
    allowUnprovable: 'Pseudonyme und Werte annehmen, die sich nicht prüfen lassen, wie in Logs von frühen Versionen',
    verify: 'Prüfen',
    verifying: 'Wird geprüft …',
    verifyingBody: 'Eine große Datei braucht einige Minuten. Lassen Sie diese Seite offen.',
    progress: 'Teil der Datei, der geprüft ist',
    cancel: 'Abbrechen',
    again: 'Eine andere Datei prüfen',
    failed:
      'Die Datei konnte nicht bis zum Ende gelesen werden, oder dieser Browser ist zu alt: Es muss einer der letzten ' +
      'zwei Jahre sein.',
    verified: 'Geprüft',
    verifiedBody: (entries: number) =>
      entries === 1
        ? 'Der Eintrag ist so, wie das Log ihn unterschrieben hat: weder verändert noch eingefügt noch verschoben.'
        : `Alle ${entries} Einträge sind so, wie das Log sie unterschrieben hat: Keiner fehlt, und keiner wurde ` +
          'verändert, eingefügt oder verschoben.',
    withoutCheckpoint:
      'Ohne einen Checkpoint, den Sie aufbewahrt oder Zeugen mitunterschrieben haben, könnten die neuesten Einträge ' +
      'entfernt und der Rest neu unterschrieben worden sein.',
    log: 'Log',
    entries: 'Einträge',
    entriesRead: 'Gelesene Einträge',
    checkpoint: 'Neuester Checkpoint',
    checkpointOf: (size: number, root: string) => `${size} Einträge, Wurzel ${root}`,
    continues: 'Setzt den Checkpoint fort',
    dropped: 'Gelöscht',
    droppedOf: (dropped: number) => `${dropped} Einträge, wie das Log selbst aufzeichnet: Nur ihre Hashes sind übrig`,
    unprovable: 'Ohne Beweis angenommen',
    refuted: 'Stimmt nicht',
    refutedBody: 'Die Datei ist nicht das Log, wie es unterschrieben wurde:',
    more: (count: number) => `… und ${count} weitere.`,
    onlyUnprovable: 'Lässt sich nicht ganz beweisen',
    onlyUnprovableBody:
      'Sonst ist nichts daran falsch. So sehen Logs von frühen Versionen aus, und auch ein Log, aus dem jemand ' +
      'entfernt hat, was es beweisen würde:',
    undecided: 'Lässt sich nicht entscheiden',
    undecidedBody: 'Das sagt nichts über das Log: Es ist weder bestätigt noch widerlegt.',
    entry: 'Der Eintrag ist im Log',
    entryBody: (origin: string) => `Das unterschriebene Log ${origin} enthält ihn unverändert.`,
    entryId: 'Ereignis',
    action: 'Aktion',
    occurredAt: 'Zeit',
    place: 'Stelle',
    placeOf: (seq: number, size: number) => `Eintrag ${seq} von ${size}`,
    wrongEntry: 'Der Eintrag ist nicht im Log',
    wrongEntryBody:
      'Der Checkpoint ist echt, und sein Log hat diesen Eintrag nicht an dieser Stelle: Der Eintrag oder seine ' +
      'Stelle wurde verändert.',
  },

  stopped: {
    cancelled: 'Ihr Gerät hat nicht bestätigt',
    cancelledBody: 'Es wurde abgebrochen, oder es hat zu lange gedauert. Sie können es beliebig oft versuchen.',
    tooLate: 'Das hat etwas zu lange gedauert',
    tooLateBody: 'Zu Ihrer Sicherheit ist die Anfrage abgelaufen. Bitte versuchen Sie es noch einmal.',
    invalid: 'Das hat nicht geklappt',
    invalidBody:
      'Der Passkey konnte nicht geprüft werden. Versuchen Sie es noch einmal, und bestätigen Sie mit Fingerabdruck, ' +
      'Gesicht oder PIN, wenn Sie gefragt werden.',
    unsuitable: 'Dieses Gerät kann das noch nicht',
    unsuitableBody:
      'Ein Passkey braucht eine Bildschirmsperre: Fingerabdruck, Gesicht oder PIN. ' +
      'Richten Sie eine in den Einstellungen Ihres Geräts ein, oder nehmen Sie ein anderes Gerät.',
    insecure: 'Nicht an dieser Adresse',
    insecureBody:
      'Passkeys funktionieren nur an der richtigen, sicheren Adresse (https). Öffnen Sie den Link genau so, wie Sie ' +
      'ihn bekommen haben.',
    unsupported: 'Dieser Browser kann keine Passkeys',
    unsupportedBody:
      'Aktualisieren Sie ihn, oder nehmen Sie einen aktuellen Chrome, Edge, Firefox oder Safari, auf diesem Gerät ' +
      'oder auf Ihrem Telefon.',
    busy: 'Zu viele Versuche',
    busyBody: (seconds?: number) => `Bitte warten Sie ${waitingTime(seconds)}, und versuchen Sie es dann noch einmal.`,
    unavailable: 'Wir sind gerade nicht erreichbar',
    unavailableBody: 'Nichts ist verloren. Prüfen Sie Ihre Verbindung, und versuchen Sie es gleich noch einmal.',
  },

  someOrg,
  someApp: 'der App, von der Sie kommen',
};

function waitingTime(seconds: number | undefined): string {
  if (seconds === undefined) return 'eine Minute';
  return seconds === 1 ? 'eine Sekunde' : `${seconds} Sekunden`;
}
