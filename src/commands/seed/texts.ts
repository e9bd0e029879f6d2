// The people, places and words of the demo. All of it is made up.

export const people = [
  { userId: 'mira', displayName: 'Mira Holt' },
  { userId: 'tomas', displayName: 'Tomas Rey' },
  { userId: 'yuki', displayName: 'Yuki Arai' },
  { userId: 'amara', displayName: 'Amara Obi' },
  { userId: 'leon', displayName: 'Leon Fischer' },
  { userId: 'sofia', displayName: 'Sofia Marin' },
  { userId: 'noor', displayName: 'Noor Haddad' },
  { userId: 'eli', displayName: 'Eli Brandt' },
]

export const communities = [
  {
    displayName: 'Trail Runners',
    description: 'Routes, shoes and early mornings.',
    tags: ['running', 'outdoors'],
  },
  { displayName: 'Home Bakers', description: 'Bread first, cake second.', tags: ['food'] },
  {
    displayName: 'Night Sky',
    description: 'Telescopes, long exposures and clear nights.',
    tags: ['astronomy', 'photo'],
  },
  { displayName: 'Repair Corner', description: 'Mend it before you bin it.', tags: ['diy'] },
]

export const postTexts = [
  'The ridge path is open again after the storm. Muddy, but worth it at sunrise.',
  'Third try at a rye sourdough. Finally some holes in it!',
  'Forty minutes on the Orion nebula from the balcony, light dome and all.',
  'A radio from 1968 plays again. It only wanted one new capacitor.',
  'Who joins the hill repeats on Thursday? Slow group welcome.',
  'My starter doubled in four hours. Is the kitchen too warm?',
  'The planets line up this week, just after dusk. Look west.',
  'Zips: replace the slider first, the teeth are hardly ever the problem.',
  'New shoes after 800 km. The old ones retire to gardening.',
  'Cardamom buns for the whole staircase today.',
  'First light with a tiny refractor. Saturn is really there.',
  'Does anyone have a spare belt for an old sewing machine?',
  'Signposted a new loop, 9 km, one river crossing.',
  'Flour is not flour: protein numbers make all the difference.',
  'Clouds. Again. What do you do on cloudy nights?',
  'Soldering evening at the library next month, bring what is broken.',
]

export const comments = [
  'Count me in.',
  'This made my day.',
  'How long did it take you?',
  'I had the same and gave up too early.',
  'Could you share the settings?',
  'Beautiful!',
  'Try it a little slower next time.',
  'Saved for the weekend.',
]

// The names the published UI kit has pictures for.
export const reactions = ['like', 'love', 'fire', 'happy']

export const chatter: Record<string, string[]> = {
  General: [
    'Morning, everyone',
    'Coffee is ready, virtually',
    'Did somebody see the fog over the river?',
    'I did, and forgot the camera of course',
    'Next time then',
  ],
  'Weekend plans': [
    'Who is around on Saturday?',
    'Me, after ten',
    'Ridge path and cake afterwards?',
    'In that order, please',
    'I bring the cake',
    'Then I bring a bigger backpack',
  ],
  'Help wanted': [
    'My oven only heats from below, any ideas?',
    'Check the upper element, it is often just the connector',
    'It was the connector. Thank you!',
  ],
}
