<?php
namespace App\Models;

use App\Base;

const LIMIT = 3;

/** Documented. */
class Thing extends Base
{
    const KIND = 'k';
    private $name = 'n';

    public function name(): string
    {
        return $this->name;
    }
}

interface Shape { public function area(); }

function top($x) {
    return $x;
}
