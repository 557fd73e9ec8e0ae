import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseWay, type Way } from './choose-way.ts'
import type { Condition, UserColumn } from './columns.ts'
import type { UserListing } from './parse-query.ts'

const everybody = 1_000_000
const garcia: Condition = { column: 'name', operator: 'contains', values: ['garcia'] }
const later: Condition = { column: 'updatedAt', operator: 'gt', values: [0] }

describe('A page of a million people on SQLite', () => {
  const cases: [string, Condition[], UserColumn, number, Way][] = [
    ['few who fit are fetched and sorted', [garcia], 'createdAt', 100, 'fetch and sort'],
    ['many who fit are met soon in the order of the page', [garcia], 'createdAt', 10_000, 'check in order'],
    [
      'neither few nor many are marked first, where the order is not that of the file',
      [garcia],
      'email',
      10_000,
      'mark, then pick in order',
    ],
    ['most people are met at once in any order', [later], 'email', 800_000, 'check in order'],
    [
      'a range of the column that is sorted by is read off its index',
      [later],
      'updatedAt',
      500_000,
      'as the planner decides',
    ],
    ['a search in the column that is sorted by is still a search', [garcia], 'name', 9_000, 'mark, then pick in order'],
    ['everybody is read off an index', [], 'name', everybody, 'as the planner decides'],
    [
      'one standing in the usual order is read off an index',
      [{ column: 'banned', operator: 'ne', values: [0] }],
      'createdAt',
      2_000,
      'as the planner decides',
    ],
    [
      'two standings are not',
      [{ column: 'role', operator: 'ne', values: ['user'] }],
      'createdAt',
      60,
      'fetch and sort',
    ],
  ]
  for (const [name, conditions, sortBy, total, way] of cases) {
    test(name, () => {
      const listing: UserListing = { conditions, sortBy, direction: 'asc', limit: 100, offset: 0 }
      assert.equal(chooseWay(listing, { total, everybody }), way)
    })
  }

  test('a page far behind is no reason to go through everybody for few', () => {
    const listing: UserListing = { conditions: [garcia], sortBy: 'email', direction: 'asc', limit: 100, offset: 9_000 }
    assert.equal(chooseWay(listing, { total: 9_100, everybody }), 'fetch and sort')
  })
})
