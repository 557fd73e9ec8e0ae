import type { UserRow } from '../../platform/database/tables.ts'
import { HOUR_MILLISECONDS } from '../../platform/time/time-units.ts'

/** Emails to this domain are never delivered (RFC 2606, section 2). */
export const SEED_DOMAIN = 'people.invalid'

const FIRST_NAMES =
  'Aaliyah Abel Ada Adrian Agnes Ahmed Aiko Alba Alejandro Alice Amara Amir Ana Anders Anika Anton Aria Arjun Astrid Aylin Beatriz Ben Bianca Björn Boris Camila Carlos Chen Chiara Chloé Clara Daniel Dara David Diego Dmitri Eda Edith Elena Elif Emeka Emil Emma Esra Eva Fatima Felix Fiona Freya Gabriel Giulia Greta Hana Hannah Hassan Henrik Hiro Hugo Ida Ines Ingrid Irina Isabel Ivan Jakob James Jana Javier Jin Joana Johan Jonas Julia Kai Karim Kasia Katja Kofi Lara Lars Laura Layla Lea Leila Leon Li Lina Linh Lucas Lucía Luisa Magnus Maja Malik Marco Maria Marie Marta Mateo Maya Mei Mia Mila Mohammed Nadia Naomi Nia Nico Nina Noah Nora Olga Oliver Omar Oskar Otto Paula Pedro Petra Priya Rafael Rania Ravi Rosa Sam Samira Sana Sara Sofia Stefan Sven Tariq Tess Theo Tomás Uma Ursula Valentina Vera Victor Wanda Wei Yara Yuki Yusuf Zara Zoe'.split(
    ' ',
  )
const LAST_NAMES =
  'Abe Adeyemi Ahmed Almeida Andersen Bakker Banerjee Baumann Becker Berg Bianchi Blanc Brown Carvalho Castillo Chen Cohen Costa Da Silva Demir Diallo Dubois Eriksson Esposito Fernández Fischer Fontaine Fuchs García Gomes Graf Gupta Haas Hansen Hernández Hoffmann Horvat Hussein Ito Ivanov Jansen Johansson Jones Kaya Keller Khan Kim Klein Kovács Kowalski Kumar Larsen Laurent Lehmann Li Lindberg Lopez Martin Mbeki Meier Mendes Meyer Moreau Müller Nakamura Nguyen Nielsen Novák Nowak Okafor Okoye Olsen Orlov Østergaard Patel Peeters Pereira Petrov Popescu Ramos Rossi Sato Schmidt Schneider Schulz Silva Singh Smith Sørensen Suzuki Tanaka Torres Van Dijk Vargas Virtanen Vogel Wagner Wang Weber Williams Wilson Wong Yamamoto Yılmaz Young Zhang Zimmermann'.split(
    ' ',
  )
const BAN_REASONS = ['Spam', 'Abuse', 'Account sold', 'Asked for by the customer', 'Chargeback']

export function createRandomUser(
  { randomBytes }: { randomBytes: (byteCount: number) => Buffer },
  createdAt: number,
  now: number,
): Omit<UserRow, 'id'> {
  const bytes = randomBytes(24)
  const number = (index: number) => bytes.readUInt16BE(index * 2)
  const pick = (names: string[], index: number) => names[number(index) % names.length] ?? ''
  const oneIn = (count: number, index: number) => number(index) % count === 0
  const first = pick(FIRST_NAMES, 0)
  const last = pick(LAST_NAMES, 1)
  const banned = oneIn(500, 2)
  const unique = bytes.subarray(18).readUIntBE(0, 6).toString(36)
  return {
    name: `${first} ${last}`,
    email: `${toAscii(first)}.${toAscii(last)}.${unique}@${SEED_DOMAIN}`,
    emailVerified: oneIn(8, 3) ? 0 : 1,
    image: oneIn(4, 4) ? `https://images.${SEED_DOMAIN}/${unique}.png` : null,
    role: oneIn(20_000, 5) ? 'support' : 'user',
    banned: banned ? 1 : 0,
    banReason: banned ? pick(BAN_REASONS, 6) : null,
    banExpires: banned && oneIn(2, 7) ? now + (1 + (number(8) % 2_000)) * HOUR_MILLISECONDS : null,
    properties: '{}',
    twoFactorEnabled: oneIn(20, 8) ? 1 : 0,
    createdAt,
    updatedAt: createdAt + Math.round(((now - createdAt) * (number(7) % 1_000)) / 1_000),
  }
}

function toAscii(name: string): string {
  const letters = name.toLowerCase().replaceAll('ø', 'o').replaceAll('ı', 'i').normalize('NFD')
  return letters.replace(/[^a-z]/g, '')
}
