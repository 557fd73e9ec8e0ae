import {
  COLUMN_TYPES,
  OPERATORS,
  TEXT_OPERATORS,
  type UserColumn,
} from '../../server/features/staff/list-users/columns.ts'

/** A query string; `index` is that of the try, so that what changes from try to try can. */
export type Question = (index: number) => string

const DAY = 86_400_000
/** Words that names and addresses of made-up people hold, each those of about one in a hundred. */
const WORDS =
  'sorensen schneid kowal fernan lindberg zimmer banerj nakamur esposit petrov okafor virtan johans baumann hofman moreau garcia wagner suzuki almeida eriksso hernand laurent nielsen tanaka'.split(
    ' ',
  )

/** What staff ask. */
export const QUESTIONS: Record<string, Question> = {
  'everybody, newest first': () => 'sortDirection=desc',
  'everybody, by address, backwards': () => 'sortBy=email&sortDirection=desc',
  'address contains, a new word each time': (index) => `searchValue=${WORDS[index % WORDS.length]}`,
  'name contains, by name': (index) => `searchField=name&searchValue=${WORDS[index % WORDS.length]}&sortBy=name`,
  'role, of staff': () => 'filterField=role&filterValue=support',
  'role, of most': () => 'filterField=role&filterValue=user',
  banned: () => 'filterField=banned&filterValue=true',
  'verified, by name': () => 'filterField=emailVerified&filterValue=true&sortBy=name',
  'not verified, newest first': () => 'filterField=emailVerified&filterValue=false&sortDirection=desc',
  'created in the last so many days': (index) =>
    `filterField=createdAt&filterOperator=gt&filterValue=${Date.now() - (index + 1) * DAY}`,
}

const TEXTS: Partial<Record<UserColumn, string>> = {
  id: 'usr_01',
  name: 'Maria',
  email: 'maria',
  image: 'https://images',
  role: 'support',
  banReason: 'Spam',
}

/** Every operator on a column. */
export function questionsAbout(column: UserColumn): Record<string, Question> {
  const type = COLUMN_TYPES[column]
  const operators = OPERATORS.filter((operator) => type === 'text' || !TEXT_OPERATORS.some((name) => name === operator))
  const valueIn: Record<typeof type, Question> = {
    text: () => TEXTS[column] ?? '',
    flag: (index) => String(index % 2 === 0),
    time: (index) => String(Date.now() - (index + 1) * 40 * DAY),
  }
  return Object.fromEntries(
    operators.map((operator) => [
      operator,
      (index) => `filterField=${column}&filterOperator=${operator}&filterValue=${valueIn[type](index)}`,
    ]),
  )
}
