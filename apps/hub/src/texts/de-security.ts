import type { enSecurity } from './en-security.ts';
import type { TextsLike } from './en.ts';

export const deSecurity: TextsLike<typeof enSecurity> = {
  issuerKeys: {
    title: 'Schlüssel und Passkeys',
    rpId: 'Domain der Passkeys (RP-ID)',
    rpIdBody:
      'Ein Passkey gilt für genau eine Domain, seine RP-ID. Geräte bieten ihn nur auf Seiten dieser Domain an, und ' +
      'sie lässt sich nie ändern.',
    current: 'Neue Passkeys gelten für',
    ofDeployment: '{{domain}}, die Domain dieses Holdfast',
    earlier: 'Gilt noch, bis Sie den Umzug beenden',
    domain: 'Domain',
    customers: 'Passkeys der Kundschaft',
    people: 'Passkeys von Personen',
    move: 'Auf eine andere Domain umziehen',
    moveBody:
      'Zuerst muss die neue Domain es erlauben: Sie enthält {{host}}, oder sie liefert unter {{address}} den Text ' +
      'darunter. Danach gelten neue Passkeys für diese Domain, die bisherigen gehen weiter. Bieten Sie Ihrer ' +
      'Kundschaft neu an, damit alle einen neuen Passkey erstellen, und fügen Sie Ihrem eigenen Konto einen hinzu. ' +
      'Beenden Sie den Umzug, wenn nur noch wenige bisherige übrig sind.',
    newDomain: 'Neue Domain',
    newDomainBody: 'Zum Beispiel example.com; leer für die Domain dieses Holdfast',
    begin: 'Umzug beginnen',
    document: 'Was die Domain liefert',
    end: 'Umzug beenden',
    endTitle: 'Den Umzug von {{domain}} beenden?',
    endBody:
      'Passkeys der bisherigen Domain gelten sofort nicht mehr: {{customers}} der Kundschaft und {{people}} von ' +
      'Personen. Wer keinen anderen hat, braucht ein neues Angebot oder einen neuen Link.',
    signing: 'Signaturschlüssel',
    signingBody:
      'Mit diesen Schlüsseln prüfen Apps Token; sie laden sie beim Issuer. Ein neuer Schlüssel wird zuerst ' +
      'veröffentlicht und signiert, sobald Apps Zeit hatten, ihn zu laden.',
    id: 'Schlüssel-ID',
    algorithm: 'Algorithmus',
    since: 'Signiert ab',
    next: 'veröffentlicht, signiert später',
    signingNow: 'signiert',
    verifying: 'signiert nicht mehr, prüft noch',
    rotate: 'Schlüssel wechseln',
    rotateBody:
      'Neue Schlüssel werden jetzt veröffentlicht und signieren in einer Stunde. Die bisherigen gelten, bis ihr ' +
      'letztes Token abgelaufen ist. Apps, die Schlüssel beim Issuer laden, merken nichts davon. Ist ein Schlüssel ' +
      'in fremde Hände geraten, bitten Sie den Betreiber, ihn zurückzuziehen.',
  },
  sessions: {
    title: 'Wo Sie angemeldet sind',
    body: 'Browser, und Apps, die angemeldet bleiben. Dieser Browser gehört dazu.',
    none: 'Derzeit nirgends',
    apps: 'Apps',
    browser: 'Browser',
    app: 'App',
    where: 'Wo',
    signedIn: 'Angemeldet',
    ends: 'Endet',
    end: 'Abmelden',
    endAll: 'Überall abmelden',
    endAllBody: 'Beendet alle Ihre Sitzungen und Token, auch in diesem Browser. Danach melden Sie sich neu an.',
  },
  authentication: {
    title: 'Authentifizierung',
    body: 'Wie die App am Token-Endpunkt nachweist, wer sie ist, und was ihre Token sind.',
    method: 'Verfahren',
    client_secret_basic: 'Client-Secret',
    private_key_jwt: 'Eigener privater Schlüssel (private_key_jwt)',
    none: 'Keines: Sie ist ein öffentlicher Client',
    keys: 'Öffentliche Schlüssel',
    dpop: 'An einen Schlüssel gebundene Token (DPoP)',
    required: 'verlangt',
    notRequired: 'nicht verlangt',
    format: 'Access-Token',
    opaque: 'opak, für die Introspection',
    jwt: 'JWT, das APIs selbst prüfen',
    edit: 'Ändern',
    save: 'Speichern',
    jwks: 'Öffentliche Schlüssel als JSON Web Key Set',
    jwksBody: 'Zum Beispiel {"keys":[…]}, ohne private Teile; oder die Adresse darunter',
    notJson: 'Das ist kein JSON.',
    jwksUri: 'Adresse der Schlüssel (jwks_uri)',
    jwksUriBody: 'Eine https-Adresse, von der Holdfast sie lädt',
    requireDpop: 'Nur Token, die an einen Schlüssel der App gebunden sind (DPoP)',
    ends:
      'Ein anderes Verfahren oder eine andere Adresse der Schlüssel beendet die Token der App. Ein privater ' +
      'Schlüssel widerruft alle ihre Client-Secrets.',
  },
  checkpoints: {
    title: 'Checkpoints',
    body:
      'Ein Checkpoint ist die signierte Größe und Wurzel des Logs. Wer einen aufbewahrt, kann später beweisen, dass ' +
      'kein früherer Eintrag geändert oder entfernt wurde.',
    newest: 'Neuester Checkpoint',
    note: 'Text des Checkpoints',
    keyLines: 'Ein Schlüssel je Zeile',
    size: 'Einträge',
    signed: 'Signiert von',
    consistency: 'Verglichen mit dem Checkpoint, den dieser Browser aufbewahrt hat',
    first: 'Dieser Browser hatte noch keinen. Er bewahrt diesen auf und vergleicht, wenn Sie wiederkommen.',
    continues: 'Das Log setzt den aufbewahrten fort: Keiner seiner {{size}} Einträge wurde geändert oder entfernt.',
    same: 'Das Log ist das aufbewahrte, ohne einen weiteren Eintrag.',
    broken: 'Das Log setzt den aufbewahrten Checkpoint nicht fort',
    brokenBody:
      'Frühere Einträge wurden geändert oder entfernt, oder die Signatur ist falsch. Bewahren Sie beide Checkpoints ' +
      'auf und benachrichtigen Sie, wer für das Log verantwortlich ist.',
    keepNow: 'Stattdessen den neuesten aufbewahren',
    witnesses: 'Zeugen',
    witnessesBody: 'Unabhängige Server, die einen Checkpoint nur signieren, wenn er den zuletzt gesehenen fortsetzt.',
    noWitness: 'Kein Zeuge hat einen Checkpoint dieses Logs signiert. Zeugen richtet der Betreiber ein.',
    cosigned: '{{size}} Einträge, mit Signaturen von: {{names}}. Der Hub hat deren Schlüssel nicht und prüft keine.',
    verifierKeys: 'Prüfschlüssel',
    verifierKeysBody: 'Bewahren Sie sie außerhalb von Holdfast auf, dann prüfen Sie ohne Vertrauen in diesen Server.',
  },
  firstSteps: {
    title: 'Erste Schritte',
    done: 'erledigt',
    open: 'offen',
    app: 'Eine App anlegen',
    offer: 'Der ersten Person einen Credential anbieten',
    claim: 'Die erste Person nimmt ihn an',
    owner: 'Einen zweiten Inhaber einladen, damit niemand ausgesperrt wird',
    passkey: 'Ihrem Konto einen zweiten Passkey hinzufügen',
    hide: 'Ausblenden',
  },
};
