import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressForEmail, isName, nameForEmail } from './names.ts'

test('isName accepts names of users and organizations', () => {
  for (const name of [
    "Conan O'Brien",
    'José Ñandú',
    '田中 太郎',
    'モーニング娘。',
    'Dr. Anna-Lena v. d. Berg',
    'A.R.Rahman',
    'M.K. Stalin',
    'И.И.Иванов',
    'J.R.R. Tolkien',
    'Martin Luther King, Jr.',
    'محمد بن سلمان',
    'नरेन्द्र मोदी',
    '김철수',
    'Björk',
    'Nguyễn Văn A',
    'X Æ A-12',
    'Example Works GmbH',
    'Verein zur Förderung e.V.',
    '3M',
    '7-Eleven',
    'Forever 21',
    'A.C.M.E. Inc.',
    'Node.js Foundation',
    'AT&T',
    'Yahoo!',
    'Procter & Gamble',
    'Jahrgang 2024/2025',
    'Class of 1999-2003',
    'Abba (1972–1982)',
    'Classes of 2019, 2020',
    '5a 2024/2025',
    'Studio 54 (Berlin)',
    'Route 66, Suite 12',
    'Room 12; Floor 3: Desk 4 # 5',
    'Henry VIII',
    'Henry Ⅷ',
    'A/B 50:50',
    '24/7 & 365',
    '10,000 Maniacs',
    'Platz ❶ – ❸',
    'I ❤ NY',
    'Team 🚀. Works',
    '.NET Foundation',
    'Microsoft (.NET)',
    'Hello...World',
    'สมชาย ใจดี',
    'አበበ ቢቂላ',
    'דוד בן־גוריון',
    'صف ٢٠٢٤',
    'Kaʻahumanu',
    '@home',
    'Ann ★',
    '<img src=x onerror=alert(1)> & "friends"',
  ])
    assert.equal(isName(name), true, name)
})

test('isName refuses text that mail programs turn into a link', () => {
  for (const name of [
    'https://evil.example',
    'HTTP://EVIL',
    'Click evil.com now',
    'evil.co.uk',
    'Visit sub.evilxyzzy.com',
    'evil.com/reset',
    'evil.com-login',
    't.me/evil',
    'www.evil',
    'win at casino.bet!',
    'ada@evil.com',
    'mailto:ada@evil',
    'tel:110',
    'ｅｖｉｌ．ｃｏｍ',
    'evil。com',
    'evil｡com',
    'evil\u2024com',
    'злой.рф',
    'evil.xn--p1ai',
    'evil.XN--P1AI',
    'evil_.com',
    'evil-.com',
    'xn--80ak6aa92e.com',
    'e\u0301vil.com',
    'ASP.NET',
    'Pay at i❤.ws',
    '💩.la',
    '👍🏻.ws',
    '∞.com',
    'evil.i❤.ws/x',
  ])
    assert.equal(isName(name), false, name)
})

test('isName refuses a domain before a mark, a digit or a letter that ends it', () => {
  const ends = ['\u0338', '\u0332', '\u20e3', '\u0301', '²', '½', '①', '٣', '１', '\u{1d7d8}']
  const letters = ['а', 'é', 'e\u0301', 'ñ', 'ß', 'ø', 'α', 'א', '中', '한', 'ｍ', 'ﬁ', 'ſ', 'ª', 'İ']
  for (const end of [...ends, ...letters, '_', '_x', '·x', 'ʼ', '™', '🚀', '/x', '-x', ''])
    for (const name of [`evil.com${end}`, `Win at evil.co.uk${end} now`, `évil.com${end}`, `ada@x.com${end}`])
      assert.equal(isName(name), false, name)
  for (const end of ends.filter((end) => !end.startsWith('１')))
    for (const domain of ['злой.рф', 'evil.ලංකා', 'evil.भारत', 'evil.中国'])
      assert.equal(isName(`${domain}${end}`), false, `${domain}${end}`)
  for (const name of [
    'evil.co\u0338m',
    'evil.coḿ',
    'evil.peña',
    'evil-x.peña',
    'Dr.Muñoz',
    'evil.J.Muñ.com',
    'J.com',
    'J.com한',
    'evil.xn--p1ai²',
    'evil.xn--p1ai-',
    '½mailto:ada@evil',
  ])
    assert.equal(isName(name), false, name)
})

test('isName accepts a full stop before a word that only begins like a domain', () => {
  for (const name of [
    'Dr.Müller',
    'Dr.André',
    'Nr.1',
    'No.1',
    'Vol.２',
    'Verein e.V.',
    'Example Works Inc.',
    'Acme s.r.o.',
    'Fiat S.p.A.',
    'St.Gallen',
    'St.Étienne',
    'Studio.déco',
    'Art...déco',
    'A.Communications',
    'Example.comfort',
    'evil.com1',
    'И.Иванов',
    'злой.рфд',
    'J.Peña',
    'J.R.Muñoz',
    'T.Trần',
    'J.Co\u0302ng',
    'S. Peña',
    'Dr. Muñoz',
    'Dr.コトー',
    'Node.js財団',
    'Release 1.2.3',
    'Kapitel 1.2.3.',
  ])
    assert.equal(isName(name), true, name)
})

test('isName refuses an IP address, which some mail programs show as a link', () => {
  for (const name of ['5.9.1.23', 'Win at 5.9.1.23/x', '5.9.1.23²', '５.９.１.２３'])
    assert.equal(isName(name), false, name)
})

test('isName refuses digits that look like a telephone number', () => {
  for (const name of [
    'Call +49 30 1234567',
    '0800-123-4567',
    '(555) 123 4567',
    '555.123.4567',
    '555 · 1234',
    '1 2 3 4 5 6 7',
    '１２３４５６７',
    '٠١٢٣٤٥٦',
    '192.168.0.1',
    'Call 0800 1900-2010',
    'Call 1900-2010 0800',
    'Call 2010-2020 1900-1999',
    '+45 2010-2020',
    '+2010-2020',
    '❶❷❸❹❺❻❼',
    '⓵⓶⓷ ⓸⓹⓺ ⓻',
    '➀➁➂-➃➄➅➆',
    '㉑㊱㊿⑳',
  ])
    assert.equal(isName(name), false, name)
})

test('isName refuses names that look empty or contain invisible characters', () => {
  for (const name of [
    '',
    ' ',
    '\u00a0\u3000',
    '\u3164',
    '\u115f\u1160',
    '\uffa0',
    '\u2800',
    '\u200b',
    '...',
    '-',
    '★',
    'Ada\u200bAdmin',
    'Ada\u202eAdmin',
    'Ada\u2066Admin',
    'Ada\u00adAdmin',
    'Ada\ufeffAdmin',
    'Ada\u3164Admin',
    'Ada\u2800Admin',
    'Ada\ufe0fAdmin',
    'Ada\u{e0041}Admin',
    'Ada\u{1d173}Admin',
    'Ada\u0600Admin',
    'Ada\ufff9Admin',
    'Ada\nAdmin',
    'Ada\u2028Admin',
    'Ada\0',
    'Ada\ud800',
  ])
    assert.equal(isName(name), false, JSON.stringify(name))
})

test('isName accepts accents and letters as languages combine them', () => {
  for (const name of [
    'Nguyễn Thị Hồng Nhung'.normalize('NFD'),
    'יִצְחָ֖ק בֶּן־צְבִי',
    'מֵֽאֵ֥ת',
    'ที่นี่ น้ำ ผู้',
    'श्री कार्त्स्न्यें',
    'ཧྐྵྨླྺྼྻྂ',
    'မြွှော့',
    'ក្រ្ដៅ',
    'മുഹമ്മദ് ശ്രീ',
    '김철수'.normalize('NFD'),
    'ٱللَّٰهُ',
    `A${'\u0300'.repeat(10)}`,
    `\u{11107}${'\u{11127}'.repeat(10)}`,
  ])
    assert.equal(isName(name), true, name)
})

test('isName refuses more than 11 characters that take one place, which widen an email', () => {
  for (const name of [
    `A${'\u0300\u0316'.repeat(49)}`,
    `A${'\u0300'.repeat(11)}`,
    `Ada ${'\u20dd'.repeat(11)}`,
    `A${'\u0489'.repeat(60)}`,
    `क${'\u093e'.repeat(98)}`,
    'क्'.repeat(30),
    '\u1100'.repeat(98),
    `\u1100${'\u1161'.repeat(98)}`,
    `${'\u0d4e'.repeat(97)}ക`,
    `ก${'\u0e33'.repeat(98)}`,
  ])
    assert.equal(isName(name), false, name)
})

test('isName takes linear time for a name of 100 characters', () => {
  const started = performance.now()
  for (const part of [
    '1',
    '1 ',
    '.',
    'a.',
    'aa.',
    '1-',
    '(',
    'xn--',
    '.xn--',
    'www',
    '。a',
    'é',
    '.a\u0301',
    'ab.a\u0301é',
  ])
    for (let count = 0; count < 100; count += 1) isName(part.repeat(100).slice(0, 100))
  assert.ok(performance.now() - started < 10_000)
})

test('nameForEmail replaces names that are older than the rules, and removes invisible characters', () => {
  assert.equal(nameForEmail('Ada Admin', 'a user'), 'Ada Admin')
  assert.equal(nameForEmail('Ada\u200b Admin\r\n', 'a user'), 'Ada Admin')
  assert.equal(nameForEmail('Win at evil.com', 'a user'), 'a user')
  assert.equal(nameForEmail('ev\u200bil.com', 'a user'), 'a user')
  assert.equal(nameForEmail('Win at evil.com²', 'a user'), 'a user')
  assert.equal(nameForEmail('\u3164', 'a user'), 'a user')
})

test('addressForEmail leaves out an email address that mail programs may show as a link', () => {
  for (const address of [
    'www.evil.com/login?x=1@example.com',
    'www.evil.com@example.com',
    'ada+www.evil.com@example.com',
    'evil.com/login@example.com',
    'evil.com?login@example.com',
    'evil.com#login@example.com',
    'evil.com!login@example.com',
    '192.0.2.1/login@example.com',
  ])
    assert.equal(addressForEmail(address), undefined, address)
  for (const address of [
    'ada@example.com',
    'ada.admin+news@example.com',
    'jin.kim+news@example.com',
    "conan.o'brien@example.com",
    'ada_admin-42@mail.example.com',
    'john.me@example.com',
  ])
    assert.equal(addressForEmail(address), address)
})

test('isName refuses a telephone number with any separators between its digits', () => {
  const separators = [
    '',
    ' ',
    '     ',
    '-',
    '.',
    '/',
    '_',
    '*',
    '~',
    '|',
    '\u2010',
    '\u2011',
    '\u2012',
    '\u2212',
    '\u2027',
    ',',
    ':',
    "'",
    '#',
    '=',
    ';',
    '!',
    '@',
    '%',
    '★',
    '. . . . . . . . . .',
  ]
  for (const separator of separators)
    assert.equal(isName(['Call', '0800', '555', '1212'].join(` ${separator}`)), false, `between digits: "${separator}"`)
  assert.equal(isName([...'08005551212'].map((digit) => `${digit}\u20e3`).join('')), false)
})
